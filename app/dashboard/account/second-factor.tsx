"use client";

import { ButtonLink } from "@/app/_components/button";
import { ConfirmAction, DialogForm } from "@/app/_components/dialog";
import { Field } from "@/app/_components/form";
import { Chip } from "@/app/_components/text";
import { RecoveryCodes } from "../settings/_components/shown-once-dialog";
import { createRecoveryCodes, turnOffSecondFactor } from "./actions";

/** `recoveryCodes`: how many are left; undefined without a second factor. `requiredBy`: a workspace that requires one. */
type Props = { recoveryCodes: number | undefined; requiredBy: string | undefined };

export function SecondFactor({ recoveryCodes, requiredBy }: Props) {
  if (recoveryCodes === undefined) {
    return (
      <div className="grid justify-items-start gap-4">
        <p className="text-muted">
          Codes of an authenticator app, asked for beside your password. Who learns your password then still cannot sign
          in.
        </p>
        <ButtonLink look="secondary" href="/second-factor">
          Set up
        </ButtonLink>
      </div>
    );
  }
  return (
    <div className="grid justify-items-start gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Chip tone="good" icon="check" word="On" />
        <span className="text-muted">
          {recoveryCodes} recovery {recoveryCodes === 1 ? "code" : "codes"} left
        </span>
      </p>
      <div className="flex flex-wrap gap-3">
        <DialogForm
          look="secondary"
          opener="New recovery codes…"
          title="Create new recovery codes?"
          action={createRecoveryCodes}
          confirm="Create codes"
          busy="Creating…"
          shownOnce={({ codes }, close) => <RecoveryCodes codes={codes} onDone={close} />}
        >
          <p>The former ones no longer work.</p>
          <CodeField id="codes-code" />
        </DialogForm>
        <ConfirmAction
          action={turnOffSecondFactor}
          opener="Turn off…"
          title="Turn the second factor off?"
          confirm="Turn off"
          busy="Turning off…"
        >
          <p>
            Your password alone then opens the account, and every other session ends. To move to another phone, turn it
            off and set it up again.
          </p>
          {requiredBy === undefined ? null : (
            <p>{requiredBy} requires a second factor: you set a new one up before you can open it again.</p>
          )}
          <CodeField id="off-code" />
        </ConfirmAction>
      </div>
    </div>
  );
}

function CodeField({ id }: { id: string }) {
  return (
    <Field
      id={id}
      label="Code"
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      required
      hint="Of your authenticator app, or a recovery code."
    />
  );
}
