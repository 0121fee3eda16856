"use client";

import { useEffect, useState } from "react";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { Unbroken } from "@/app/_components/text";
import { confirm } from "./actions";

/** The token is in the address's fragment, which browsers send to no server. */
export function ConfirmForm() {
  const [token, setToken] = useState("");
  useEffect(() => setToken(location.hash.slice(1)), []);
  return (
    <ActionForm action={confirm} fields={{ token }} className="mt-5 grid gap-4" done="The address is confirmed.">
      <p className="text-muted">
        <Unbroken text="Alerts that you choose on your account page are then e-mailed to it." />
      </p>
      <SubmitButton className="mt-1 w-full" busy="Confirming…">
        Confirm address
      </SubmitButton>
    </ActionForm>
  );
}
