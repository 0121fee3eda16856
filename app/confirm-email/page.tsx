import type { Metadata } from "next";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { ConfirmForm } from "./confirm-form";

export const metadata: Metadata = { title: "Confirm address", referrer: "no-referrer", robots: { index: false } };

export default function ConfirmEmailPage() {
  return (
    <Entrance
      title="Confirm your e-mail address"
      below={
        <p>
          <TextLink href="/dashboard/account">Go to your account</TextLink>
        </p>
      }
    >
      <ConfirmForm />
    </Entrance>
  );
}
