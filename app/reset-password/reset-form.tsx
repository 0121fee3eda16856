"use client";

import { useEffect, useState } from "react";
import { NewPasswordField } from "@/app/_components/account-fields";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { Notice } from "@/app/_components/panels";
import type { ActionState } from "@/lib/auth/action";
import { readResetLink, setNewPassword } from "./actions";

type Reading = ActionState<{ email: string }>;

const UNREACHABLE: Reading = {
  ok: false,
  message: "The link could not be checked. Reload the page to try again.",
  issues: {},
};

/** The token is in the address's fragment, which browsers send to no server: only this script can read it. */
export function ResetForm() {
  const [token, setToken] = useState("");
  const [reading, setReading] = useState<Reading | null>(null);
  useEffect(() => {
    const read = () => {
      const given = location.hash.slice(1);
      const form = new FormData();
      form.set("token", given);
      setToken(given);
      setReading(null);
      readResetLink(null, form).then(setReading, () => setReading(UNREACHABLE));
    };
    read();
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  if (reading === null) {
    return (
      <>
        <p role="status" className="mt-2 text-muted">
          Checking the link…
        </p>
        <noscript>
          <p className="mt-4">Setting a new password needs JavaScript.</p>
        </noscript>
      </>
    );
  }
  if (!reading.ok) {
    return (
      <div role="alert" className="mt-5">
        <Notice tone="bad">{reading.message}</Notice>
      </div>
    );
  }
  const { email } = reading.value;
  return (
    <>
      <p className="mt-2 break-words text-muted">
        For {email}. Saving it signs the account out everywhere, and signs you in here.
      </p>
      <ActionForm action={setNewPassword} fields={{ token }} className="mt-5 grid gap-4">
        {/* For password managers, which file the new password under it. */}
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <NewPasswordField label="New password" advice="A short sentence is good." />
        <SubmitButton className="mt-1 w-full" busy="Saving…">
          Save password and sign in
        </SubmitButton>
      </ActionForm>
    </>
  );
}
