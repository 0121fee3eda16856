"use client";

import { type ReactNode, useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Dialog } from "@/app/_components/dialog";
import { Select, Tick } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import { Notice } from "@/app/_components/panels";
import type { Overlap } from "@/lib/core/secret-life";

type Props = { title: string; children: ReactNode; onDone: () => void };

/** Shows a secret once. Only Done closes it, and only after the user confirms that the secret is stored. */
export function ShownOnceDialog({ title, children, onDone }: Props) {
  const [isStored, setIsStored] = useState(false);
  useWarningBeforeLeaving(!isStored);
  return (
    <Dialog title={title} isOpen isGuarded onClose={() => {}}>
      {children}
      <div className="mt-5 flex flex-wrap items-center justify-between gap-3 border-t border-hairline pt-4">
        <Tick type="checkbox" checked={isStored} onChange={(event) => setIsStored(event.target.checked)}>
          I stored the secret
        </Tick>
        <Button disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

type ValueProps = {
  name: string;
  value: string;
  /** What is shown in place of a secret until it is asked for. It cannot be copied: it would be sent for the secret. */
  mask?: string;
};

/** A value of such a dialog, with its Copy button. */
export function ShownOnceValue({ name, value, mask }: ValueProps) {
  const [isShown, setIsShown] = useState(mask === undefined);
  return (
    <div data-copyable className="rounded-control border border-hairline bg-surface px-3 py-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="flex flex-wrap items-center justify-between gap-2">
        <code className={`min-w-0 font-mono text-sm break-all ${isShown ? "" : "select-none"}`}>
          {isShown ? value : mask}
        </code>
        <span className="flex flex-wrap gap-2">
          {mask === undefined ? null : (
            <Button look="secondary" size="small" onClick={() => setIsShown(!isShown)}>
              {isShown ? "Hide" : "Show"}
            </Button>
          )}
          <CopyButton value={value} label={name} />
        </span>
      </dd>
    </div>
  );
}

type TextProps = Props & {
  value: string;
  /** Such as "the reset link". */
  label: string;
  caution: string;
  done?: string;
};

/** A link or a PIN, with a button that copies it. `children` say what it does. */
export function ShownOnceText({ title, value, label, caution, children, done = "Done", onDone }: TextProps) {
  return (
    <Dialog title={title} isOpen isGuarded onClose={() => {}}>
      <div className="grid gap-4">
        <Notice tone="caution">{caution}</Notice>
        <div
          data-copyable
          className="flex flex-wrap items-center justify-between gap-2 rounded-control border border-hairline bg-surface px-3 py-2"
        >
          <code className="min-w-0 font-mono text-sm break-all whitespace-pre-line">{value}</code>
          <CopyButton value={value} label={label} />
        </div>
        <p className="text-muted">{children}</p>
        <Button className="justify-self-end" onClick={onDone}>
          {done}
        </Button>
      </div>
    </Dialog>
  );
}

/** What lets a person in who has lost the device of the second factor. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <ShownOnceText
      title="Recovery codes"
      value={codes.join("\n")}
      label="the recovery codes"
      caution="Store these now: they are shown here once. Keep them apart from your phone."
      done="I stored the codes"
      onDone={onDone}
    >
      Each signs you in once, in place of a code of your app. New ones can be created on your account page.
    </ShownOnceText>
  );
}

const useWarningBeforeLeaving = (isNeeded: boolean) =>
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isNeeded]);

const WORDS: Record<Overlap, string> = {
  "24h": "24 hours",
  "1h": "1 hour",
  "15m": "15 minutes",
  now: "Revoke now (secret leaked)",
};

const ALL = Object.keys(WORDS) as Overlap[];

/** How long the previous secret works beside the new one. */
export function OverlapSelect({ overlaps = ALL }: { overlaps?: readonly Overlap[] }) {
  return (
    <Select
      label="Keep the previous secret valid for"
      name="overlap"
      defaultValue={overlaps[0]}
      options={optionsOf(overlaps, (overlap) => WORDS[overlap])}
    />
  );
}
