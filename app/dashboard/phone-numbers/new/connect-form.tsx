"use client";

import { type FormEvent, useState } from "react";
import { boundTo } from "@/app/_components/bound-fields";
import { Button } from "@/app/_components/button";
import {
  ActionForm,
  Field,
  FormProgress,
  Issue,
  ProgressBar,
  SubmitButton,
  Tick,
  useIssue,
} from "@/app/_components/form";
import { useGoTo, useWorkspaceId } from "@/app/_components/link";
import { Muted } from "@/app/_components/text";
import type { Check } from "@/lib/phone-numbers/check";
import type { AccessCheckLine, OfferedNumber } from "@/lib/phone-numbers/stream-access-checks";
import { CheckList } from "../_components/run-check";
import { addSandboxLine, connectLine } from "../actions";

type Stage =
  | { name: "asked" }
  | { name: "checking" }
  /** Why the checks could not be run at all. */
  | { name: "broken"; message: string }
  | { name: "checked"; numbers: OfferedNumber[] };

/** Token and account first, each check as it passes, then the number: one form, so that the token is typed once. */
export function ConnectForm({ look }: { look?: "secondary" | undefined }) {
  const open = useOpenLine();
  const workspaceId = useWorkspaceId();
  const [stage, setStage] = useState<Stage>({ name: "asked" });
  const [checks, setChecks] = useState<Check[]>([]);
  // Kept here, because a form forgets what was typed once its action has answered, also with a refusal.
  const [access, setAccess] = useState({ accessToken: "", whatsappBusinessAccountId: "" });

  const bound = boundTo(access, (changed) => {
    setAccess(changed);
    setStage({ name: "asked" });
    setChecks([]);
  });
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
      <ActionForm action={connectLine} onDone={open} done="Connected." className="grid gap-5">
        <Field
          {...bound("accessToken")}
          label="Access token"
          type="password"
          spellCheck={false}
          hint="Of a system user, so that it does not expire. It is stored encrypted and never shown again."
        />
        <Field
          {...bound("whatsappBusinessAccountId")}
          label="WhatsApp business account id"
          inputMode="numeric"
          hint="About 15 digits."
        />
        {canConnect ? null : (
          <Button look={look} className="justify-self-start" type="submit" aria-disabled={stage.name === "checking"}>
            {stage.name === "checking" ? "Checking…" : "Check"}
          </Button>
        )}
        <div aria-live="polite" className="grid gap-3">
          {checks.length > 0 ? <CheckList checks={checks} /> : null}
          {stage.name === "checking" ? <ProgressBar /> : null}
          {stage.name === "broken" ? <p className="text-danger">{stage.message}</p> : null}
          {stage.name === "checked" && !canConnect ? (
            <p className="font-medium">Nothing was saved. Fix the failed check and try again.</p>
          ) : null}
        </div>
        {stage.name === "checked" && canConnect ? (
          <>
            <LineChoice numbers={stage.numbers} />
            <div className="grid justify-items-start gap-2">
              <SubmitButton look={look} busy="Connecting…">
                Connect line
              </SubmitButton>
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

/** Which of the account's numbers becomes the line, and what people call it. */
function LineChoice({ numbers }: { numbers: OfferedNumber[] }) {
  const [chosen, setChosen] = useState(numbers[0]?.whatsappPhoneNumberId);
  const [label, setLabel] = useState(numbers[0]?.verifiedName ?? "");
  const issue = useIssue("whatsappPhoneNumberId");
  return (
    <>
      <fieldset aria-describedby={issue ? "number-issue" : undefined}>
        <legend className="mb-1 font-medium">Number</legend>
        <div className="grid gap-1">
          {numbers.map(({ whatsappPhoneNumberId, displayPhoneNumber, verifiedName }) => (
            <Tick
              key={whatsappPhoneNumberId}
              type="radio"
              name="whatsappPhoneNumberId"
              value={whatsappPhoneNumberId}
              checked={chosen === whatsappPhoneNumberId}
              onChange={() => setChosen(whatsappPhoneNumberId)}
            >
              {displayPhoneNumber}
              {verifiedName ? <Muted> · {verifiedName}</Muted> : null}
            </Tick>
          ))}
        </div>
        <Issue id="number-issue" text={issue} />
      </fieldset>
      <div className="max-w-sm">
        <Field
          name="label"
          label="Name of the line"
          maxLength={200}
          value={label}
          onText={setLabel}
          hint="Shown in the dashboard, for example Support. API calls use the line’s id instead."
        />
      </div>
    </>
  );
}

export function TestLineForm() {
  const open = useOpenLine();
  return (
    <ActionForm
      action={addSandboxLine}
      fields={{ label: "Test line" }}
      onDone={open}
      className="grid [&>[role]:not(:empty)]:mt-2"
    >
      <SubmitButton look="secondary" busy="Adding…">
        Add test line
      </SubmitButton>
    </ActionForm>
  );
}

/** Opens a new line's page at its top, wherever this page was scrolled to. */
export function useOpenLine(): (line: { id: string }) => void {
  const goTo = useGoTo();
  return ({ id }) => {
    scrollTo({ top: 0 });
    goTo(`/dashboard/phone-numbers/${id}`);
  };
}

type Access = { accessToken: string; whatsappBusinessAccountId: string };
type Outcome = { numbers: OfferedNumber[] } | { message: string };

const CUT_OFF = "The checks were cut off before the end. Nothing was stored: check again.";

/** Runs the checks and reports each when it is done. The token travels in the body, never in an address. */
async function checkAccessStream(
  workspaceId: string,
  access: Access,
  onCheck: (check: Check) => void,
): Promise<Outcome> {
  try {
    const response = await fetch(`/api/v1/workspaces/${workspaceId}/phone-numbers/checks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(access),
    });
    if (!response.ok || !response.body) return { message: await refusalOf(response) };
    for await (const line of linesOf(response.body)) {
      const parsed: AccessCheckLine = JSON.parse(line);
      if ("numbers" in parsed) return parsed;
      onCheck(parsed.check);
    }
    return { message: CUT_OFF };
  } catch {
    return { message: CUT_OFF };
  }
}

async function refusalOf(response: Response): Promise<string> {
  const body: { message?: string; details?: { issues?: { message: string }[] } } = await response.json();
  return body.details?.issues?.map(({ message }) => message).join(" ") ?? body.message ?? CUT_OFF;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
