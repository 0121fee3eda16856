import type { Metadata } from "next";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { ResetForm } from "./reset-form";

export const metadata: Metadata = { title: "Reset password", referrer: "no-referrer", robots: { index: false } };

export default function ResetPasswordPage() {
  return (
    <Entrance
      title="Set a new password"
      below={
        <p>
          Know your password? <TextLink href="/sign-in">Sign in</TextLink>
        </p>
      }
    >
      <ResetForm />
    </Entrance>
  );
}
