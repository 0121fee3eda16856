import { ButtonLink } from "@/app/_components/button";
import { ActionButtonForm } from "@/app/_components/form";
import type { LineProblem } from "@/lib/phone-numbers/health";
import { Allowed } from "../../_components/page-frame";
import { runLineCheck, subscribeLineApp } from "../actions";

/** The one button that fixes a problem of a line. */
export function Remedy({ remedy, phoneNumberId }: { remedy: LineProblem["remedy"]; phoneNumberId: string }) {
  const fields = { phoneNumberId };
  switch (remedy) {
    case "templates":
      return <Way href="/dashboard/templates">See templates</Way>;
    case "webhooks":
      return <Way href="/dashboard/webhooks">Check webhooks</Way>;
    case "manager":
      return <Way href="https://business.facebook.com/wa/manage/home/">WhatsApp Manager</Way>;
    case "replaceToken":
      return (
        <Allowed to="manageLines" step="Replace token" look="secondary">
          <Way href={`/dashboard/phone-numbers/${phoneNumberId}#token`}>Replace token</Way>
        </Allowed>
      );
    case "subscribe":
      return (
        <Allowed to="manageLines" step="Subscribe the app" look="secondary">
          <ActionButtonForm action={subscribeLineApp} fields={fields} word="Subscribe the app" busy="Subscribing…" />
        </Allowed>
      );
    case "check":
      return (
        <Allowed to="manageLines" step="Run check" look="secondary">
          <ActionButtonForm action={runLineCheck} fields={fields} word="Run check" busy="Checking…" />
        </Allowed>
      );
  }
}

function Way({ href, children }: { href: string; children: string }) {
  return (
    <ButtonLink look="secondary" href={href}>
      {children}
    </ButtonLink>
  );
}
