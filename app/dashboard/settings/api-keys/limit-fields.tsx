"use client";

import { type ReactNode, useState } from "react";
import { Field, Issue, TextArea, Tick, useIssue } from "@/app/_components/form";
import { labelled } from "@/app/_components/options";
import type { KeyLimits, Mode, Permission } from "@/lib/core/principal";

/** What the keys of a workspace can be limited to. */
export type LimitChoices = {
  lines: { id: string; label: string; mode: Mode }[];
  /** Their names, by mode. */
  templates: Record<Mode, string[]>;
  timeZone: string;
};

type Props = { choices: LimitChoices; mode: Mode; limits?: KeyLimits; lastDay?: string };

const PERMISSIONS: { value: Permission; word: string }[] = [
  { value: "send", word: "Send messages" },
  { value: "status", word: "Read the status of messages" },
  { value: "templates", word: "List templates" },
];

/** The limits of a key. What is left empty is no limit. */
export function LimitFields({ choices, mode, limits = {}, lastDay = "" }: Props) {
  const { permissions, phoneNumberIds = [], templateNames = [], ipRanges = [], monthlyCap } = limits;
  const lines = choices.lines.filter((line) => line.mode === mode);
  const templates = [...new Set([...choices.templates[mode], ...templateNames])].toSorted();
  return (
    <>
      <Group legend="Permissions" name="permissions" options={PERMISSIONS} chosen={permissions} />
      <Group
        legend="Lines"
        name="phoneNumberIds"
        options={labelled(lines)}
        chosen={phoneNumberIds}
        hint={lines.length > 0 ? "Choose none to allow every line, also later ones." : `There is no ${mode} line yet.`}
      />
      <Group
        legend="Templates"
        name="templateNames"
        options={templates.map((name) => ({
          value: name,
          word: <span className="font-mono text-sm break-all">{name}</span>,
        }))}
        chosen={templateNames}
        hint={
          templates.length > 0
            ? "Choose none to allow every message. A key with templates sends only these, no text or interactive message."
            : `There is no ${mode} template yet.`
        }
      />
      <TextArea
        label="IP ranges"
        name="ipRanges"
        rows={3}
        defaultValue={ipRanges.join("\n")}
        placeholder={"203.0.113.0/24\n2001:db8::/32"}
        className="font-mono"
        autoCapitalize="none"
        spellCheck={false}
        hint="Where calls may come from, one range a line. Empty: from anywhere."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Messages a month"
          name="monthlyCap"
          inputMode="numeric"
          defaultValue={monthlyCap ?? ""}
          hint="Calendar month in UTC, test messages too. Empty: no cap."
        />
        <Field
          label="Last day"
          name="expiresAt"
          type="date"
          defaultValue={lastDay}
          hint={`Works until the end of this day in ${choices.timeZone}. Empty: no expiry.`}
        />
      </div>
    </>
  );
}

type GroupProps = {
  legend: string;
  name: string;
  options: { value: string; word: ReactNode }[];
  /** Undefined: all are chosen. */
  chosen: readonly string[] | undefined;
  hint?: string;
};

function Group({ legend, name, options, chosen, hint }: GroupProps) {
  const issue = useIssue(name);
  const described = [hint ? `${name}-hint` : "", issue ? `${name}-issue` : ""].filter(Boolean).join(" ");
  return (
    <fieldset aria-describedby={described || undefined} className="grid gap-1">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="grid max-h-44 gap-x-4 overflow-y-auto empty:hidden sm:grid-cols-2">
        {options.map(({ value, word }) => (
          <Tick key={value} type="checkbox" name={name} value={value} defaultChecked={chosen?.includes(value) ?? true}>
            {word}
          </Tick>
        ))}
      </div>
      {hint ? (
        <p id={`${name}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      ) : null}
      <Issue id={`${name}-issue`} text={issue} />
    </fieldset>
  );
}

const NAMES = ["permissions", "phoneNumberIds", "templateNames", "ipRanges", "monthlyCap", "expiresAt"];

/** The limits behind one line, which opens by itself if a field in it has a fault. */
export function CollapsedLimits(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const hasIssue = NAMES.map(useIssue).some(Boolean);
  return (
    <details
      open={isOpen || hasIssue}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="group rounded-control border border-hairline px-3 py-2"
    >
      <summary className="min-h-6 font-medium">
        Limits <span className="ms-1 font-normal text-muted group-open:hidden">None: all rights, no expiry</span>
      </summary>
      <div className="mt-3 grid gap-4">
        <LimitFields {...props} />
      </div>
    </details>
  );
}
