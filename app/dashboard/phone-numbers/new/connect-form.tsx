"use client";

import { useRouter } from "next/navigation";
import { type ChangeEvent, type FormEvent, useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { FormProgress } from "@/app/_components/form-progress";
import { useAddressInMode } from "@/app/_components/link-mode";
import { SubmitButton } from "@/app/_components/submit-button";
import type { Check } from "@/lib/phone-numbers/check";
import type { OfferedNumber } from "@/lib/phone-numbers/stream-access-checks";
import { CheckList } from "../_components/check-list";
import { connectLine } from "../actions";
import { checkAccessStream } from "./check-access-stream";
import { LineChoice } from "./line-choice";

type Stage =
  | { name: "asked" }
  | { name: "checking" }
  /** Why the checks could not be run at all. */
  | { name: "broken"; message: string }
  | { name: "checked"; numbers: OfferedNumber[] };

/** Token and account first, each check as it passes, then the number: one form, so that the token is typed once. */
export function ConnectForm({ workspaceId }: { workspaceId: string }) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  const [stage, setStage] = useState<Stage>({ name: "asked" });
  const [checks, setChecks] = useState<Check[]>([]);
  // Kept here, because a form forgets what was typed once its action has answered, also with a refusal.
  const [access, setAccess] = useState({ accessToken: "", whatsappBusinessAccountId: "" });

  const change = ({ target: { name, value } }: ChangeEvent<HTMLInputElement>) => {
    setAccess((before) => ({ ...before, [name]: value }));
    setStage({ name: "asked" });
    setChecks([]);
  };
  const runChecks = async () => {
    setStage({ name: "checking" });
    setChecks([]);
    const outcome = await checkAccessStream(workspaceId, access, (check) => setChecks((before) => [...before, check]));
    setStage("numbers" in outcome ? { name: "checked", numbers: outcome.numbers } : { name: "broken", ...outcome });
  };
  const canConnect = stage.name === "checked" && stage.numbers.length > 0;
  // Enter in a field checks first; it connects only once there is a number to connect.
  const onSubmitCapture = (event: FormEvent) => {
    if (canConnect) return;
    event.preventDefault();
    event.stopPropagation();
    if (stage.name !== "checking") void runChecks();
  };

  return (
    <div onSubmitCapture={onSubmitCapture}>
      <ActionForm
        action={connectLine}
        workspaceId={workspaceId}
        onDone={({ id }) => router.push(addressOf(`/dashboard/phone-numbers/${id}`))}
        done="Connected."
        className="grid gap-5"
      >
        <Field
          name="accessToken"
          label="Access token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={access.accessToken}
          onChange={change}
          hint="Of a system user with whatsapp_business_messaging and whatsapp_business_management. It is stored encrypted and never shown again."
        />
        <Field
          name="whatsappBusinessAccountId"
          label="WhatsApp business account id"
          inputMode="numeric"
          autoComplete="off"
          value={access.whatsappBusinessAccountId}
          onChange={change}
          hint="WhatsApp Manager → Account tools: the id under the account’s name, not the one of a phone number."
        />
        {canConnect ? null : (
          <div>
            <Button type="submit" aria-disabled={stage.name === "checking"}>
              {stage.name === "checking" ? "Checking…" : "Check"}
            </Button>
          </div>
        )}
        <div aria-live="polite" className="grid gap-3">
          {checks.length > 0 ? <CheckList checks={checks} /> : null}
          {stage.name === "checking" ? (
            <span aria-hidden="true" className="block h-1 overflow-hidden rounded-full bg-hairline">
              <span className="progress-runner block h-full bg-accent" />
            </span>
          ) : null}
          {stage.name === "broken" ? <p className="text-danger">{stage.message}</p> : null}
          {stage.name === "checked" && !canConnect ? (
            <p className="font-medium">Nothing was saved. Fix the failed check and try again.</p>
          ) : null}
        </div>
        {stage.name === "checked" && canConnect ? (
          <>
            <LineChoice numbers={stage.numbers} />
            <div className="grid justify-items-start gap-2">
              <SubmitButton busy="Connecting…">Connect line</SubmitButton>
              <FormProgress text="Subscribing the app and storing the line…" />
              <p className="text-sm text-muted">
                Subscribes the app to the account where it is not yet, and stores the line. No message is sent.
              </p>
            </div>
          </>
        ) : null}
      </ActionForm>
    </div>
  );
}
