"use client";

import { useRouter } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { KeptForm } from "@/app/_components/dialog";
import { createTestSetup } from "../phone-numbers/actions";
import { SecretDialog } from "../settings/api-keys/key-forms";

type Secret = ComponentProps<typeof SecretDialog>["secret"];

/** One button for a test line and a key; then the secret and a call to paste, shown once. */
export function StartTesting({ origin, confirm }: { origin: string; confirm: string }) {
  const router = useRouter();
  const [secret, setSecret] = useState<Secret | null>(null);
  const forget = () => {
    setSecret(null);
    router.refresh();
  };
  return (
    <>
      <KeptForm action={createTestSetup} confirm={confirm} busy="Creating…" onDone={setSecret} />
      {secret ? <SecretDialog secret={secret} title="Your test key" origin={origin} onDone={forget} /> : null}
    </>
  );
}
