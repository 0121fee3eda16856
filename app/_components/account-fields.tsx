import type { ReactNode } from "react";
import type { FormAction } from "@/lib/auth/action";
import { PASSWORD_MIN_LENGTH } from "@/lib/auth/credential-limits";
import { ActionForm, Field, SubmitButton } from "./form";

/** The fields of a new account. With `email` the address is fixed, and only shown. */
export function AccountFields({ email }: { email?: string | undefined }) {
  return (
    <>
      <Field label="Your name" name="name" autoComplete="name" required maxLength={200} />
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={254}
        {...(email === undefined ? {} : { value: email, readOnly: true, hint: "The invitation is for this address." })}
      />
      <NewPasswordField label="Password" advice="A short sentence is good." />
    </>
  );
}

/** The field of a password that is about to be set. `advice` follows the least length in the hint. */
export function NewPasswordField({ label, advice }: { label: string; advice: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={PASSWORD_MIN_LENGTH}
      hint={`At least ${PASSWORD_MIN_LENGTH} characters. ${advice}`}
    />
  );
}

/** An account with a workspace of its own; `first` are fields above it. */
export function NewAccountForm({ action, first }: { action: FormAction<never>; first?: ReactNode }) {
  return (
    <ActionForm action={action} className="mt-5 grid gap-4">
      {first}
      <Field
        label="Workspace"
        name="workspaceName"
        required
        maxLength={200}
        autoComplete="organization"
        hint="Your shop or company. It can be renamed later."
      />
      <AccountFields />
      <SubmitButton className="mt-1 w-full" busy="Creating…">
        Create account
      </SubmitButton>
    </ActionForm>
  );
}
