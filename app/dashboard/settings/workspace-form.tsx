"use client";

import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { SubmitButton } from "@/app/_components/submit-button";
import { saveWorkspace } from "./actions";

type Props = {
  workspaceId: string;
  settings: { name: string; timeZone: string; retentionDays: number | null };
  timeZones: string[];
  defaultDays: number;
  /** Why it is only shown; absent for those who may change it. */
  lack: string | undefined;
};

export function WorkspaceForm({ workspaceId, settings: { name, timeZone, retentionDays }, ...rest }: Props) {
  const { timeZones, defaultDays, lack } = rest;
  const isReadOnly = lack !== undefined;
  return (
    <ActionForm action={saveWorkspace} workspaceId={workspaceId} done="Saved.">
      <Field
        key={`name-${name}`}
        label="Name"
        name="name"
        defaultValue={name}
        required
        maxLength={200}
        autoComplete="off"
        readOnly={isReadOnly}
      />
      <Field
        key={timeZone}
        label="Time zone"
        name="timeZone"
        defaultValue={timeZone}
        list="time-zones"
        required
        autoComplete="off"
        spellCheck={false}
        readOnly={isReadOnly}
        hint="Type a city to search. Every day, chart and filter of this workspace uses this zone, for all members."
      />
      <datalist id="time-zones">
        {timeZones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field
        key={`days-${retentionDays}`}
        label="Keep contents for (days)"
        name="retentionDays"
        inputMode="numeric"
        defaultValue={retentionDays ?? ""}
        placeholder={`${defaultDays}`}
        readOnly={isReadOnly}
        hint={`What messages say is removed after that; ids, statuses and times stay. Empty: ${defaultDays} days, as this deployment has it.`}
      />
      <div className="flex flex-wrap items-center gap-3">
        <SubmitButton disabled={isReadOnly} aria-describedby={isReadOnly ? "who-can-save" : undefined}>
          Save
        </SubmitButton>
        {isReadOnly ? (
          <p id="who-can-save" className="text-sm text-muted">
            {lack}
          </p>
        ) : null}
      </div>
    </ActionForm>
  );
}
