"use client";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { RESET_MINUTES } from "@/lib/auth/credential-limits";
import { askForReset } from "./actions";

export function AskForm() {
  return (
    <ActionForm
      action={askForReset}
      className="mt-5 grid gap-4"
      done={`If the address has an account, a link is on its way. It works once, within ${RESET_MINUTES} minutes.`}
    >
      <Field label="E-mail" name="email" type="email" autoComplete="username" required maxLength={254} />
      <SubmitButton className="mt-1 w-full" busy="Sending…">
        Send reset link
      </SubmitButton>
    </ActionForm>
  );
}
