import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { sendsMail } from "@/lib/mail/queue-mail";
import { AskForm } from "./ask-form";

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
      <AskForm />
    </Entrance>
  );
}
