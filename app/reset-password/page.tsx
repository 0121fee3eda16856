import type { Metadata } from "next";
import { Entrance } from "@/app/_components/entrance";
import { TextLink } from "@/app/_components/text-link";
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
