import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ActionForm, Field, SubmitButton } from "@/app/_components/form";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { RESET_MINUTES } from "@/lib/auth/credential-limits";
import { sendsMail } from "@/lib/mail/queue-mail";
import { askForReset } from "./actions";

export const metadata: Metadata = { title: "Forgot password", robots: { index: false } };

export default function ForgotPasswordPage() {
  if (!sendsMail()) notFound();
  return (
    <Entrance
      title="Reset your password"
      below={
        <p>
          Know your password? <TextLink href="/sign-in">Sign in</TextLink>
        </p>
      }
    >
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
    </Entrance>
  );
}
