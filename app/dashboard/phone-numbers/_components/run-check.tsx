"use client";

import { useState } from "react";
import { ActionForm, FormProgress, SubmitButton } from "@/app/_components/form";
import { Icon, type IconName } from "@/app/_components/icon";
import { InlineCode } from "@/app/_components/text";
import type { FormAction } from "@/lib/auth/action";
import type { Check } from "@/lib/phone-numbers/check";

type Props = { action: FormAction<Check[]>; fields?: Record<string, string>; word: string };

/** Runs the check, and lists its results below the button. */
export function RunCheck({ action, fields = {}, word }: Props) {
  const [checks, setChecks] = useState<Check[]>([]);
  return (
    <>
      <ActionForm action={action} fields={fields} onDone={setChecks} className="grid justify-items-start gap-2">
        <SubmitButton look="secondary" busy="Checking…">
          {word}
        </SubmitButton>
        <FormProgress text="Asking WhatsApp…" />
      </ActionForm>
      <div role="status">{checks.length > 0 ? <CheckList checks={checks} /> : null}</div>
    </>
  );
}

/** The checks in order; failed ones with WhatsApp's own words and what to do. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  return (
    <ol className="grid gap-2">
      {checks.map(({ name, state, words, advice, platform }) => (
        <li key={name} className="flex gap-2">
          <Icon name={LOOKS[state].icon} className={`mt-[3px] ${LOOKS[state].color}`} />
          <div className="min-w-0">
            <p>
              <span className="sr-only">{LOOKS[state].word}: </span>
              {words}
            </p>
            {platform ? (
              <p className="mt-0.5 text-sm text-muted">
                WhatsApp said: <q className="break-words">{platform}</q>
              </p>
            ) : null}
            {advice ? (
              <p className="mt-0.5 text-sm text-muted">
                <InlineCode text={advice} />
              </p>
            ) : null}
          </div>
        </li>
      ))}
    </ol>
  );
}

const LOOKS: Record<Check["state"], { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-good", word: "Passed" },
  warning: { icon: "alert", color: "text-caution", word: "Warning" },
  failed: { icon: "cross", color: "text-danger", word: "Failed" },
};
