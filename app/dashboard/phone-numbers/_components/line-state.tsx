import { ButtonLink } from "@/app/_components/button";
import { ActionButtonForm } from "@/app/_components/form";
import { Chip, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { LineProblem } from "@/lib/phone-numbers/health";
import type { ShownLine } from "@/lib/phone-numbers/queries";
import { Allowed } from "../../_components/page-frame";
import { runLineCheck, subscribeLineApp } from "../actions";

type Props = { line: Pick<ShownLine, "isActive" | "disconnectedAt">; worst: LineProblem | undefined };

/** Whether the line can send. It is green only where nothing serious is wrong. */
export function LineChip({ line, worst }: Props) {
  if (line.disconnectedAt) return <Chip tone="pending" icon="cross" word="Disconnected" />;
  if (worst?.stopsSends) return <Chip tone="bad" icon="cross" word="Cannot send" />;
  if (!line.isActive) return <Chip tone="caution" icon="pause" word="Paused" />;
  return worst?.tone === "bad" ? (
    <Chip tone="caution" icon="alert" word="Needs attention" />
  ) : (
    <Chip tone="good" icon="check" word="Active" />
  );
}

/** The state of a line's token in a few words. */
export function TokenState({ line }: { line: ShownLine }) {
  const { mode, tokenProblem, tokenCheckedAt, tokenExpiresAt, disconnectedAt } = line;
  if (disconnectedAt) return <Muted>Deleted</Muted>;
  if (mode === "test") return <Muted>Sandbox, none needed</Muted>;
  if (tokenProblem !== null) return <span className="font-medium text-danger">Refused</span>;
  if (tokenExpiresAt) return <Timestamp before="Ends" at={tokenExpiresAt} />;
  return tokenCheckedAt ? "Valid, expiry unknown" : <Muted>Not checked yet</Muted>;
}

/** The one button that fixes a problem of a line. */
export function Remedy({ remedy, phoneNumberId }: { remedy: LineProblem["remedy"]; phoneNumberId: string }) {
  const fields = { phoneNumberId };
  switch (remedy) {
    case "templates":
      return <RemedyLink href="/dashboard/templates">See templates</RemedyLink>;
    case "webhooks":
      return <RemedyLink href="/dashboard/webhooks">WhatsApp connection</RemedyLink>;
    case "manager":
      return <RemedyLink href="https://business.facebook.com/wa/manage/home/">WhatsApp Manager</RemedyLink>;
    case "replaceToken":
      return (
        <Allowed to="manageLines" step="Replace token" look="secondary">
          <RemedyLink href={`/dashboard/phone-numbers/${phoneNumberId}#token`}>Replace token</RemedyLink>
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

function RemedyLink({ href, children }: { href: string; children: string }) {
  return (
    <ButtonLink look="secondary" href={href}>
      {children}
    </ButtonLink>
  );
}
