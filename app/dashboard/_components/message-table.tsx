import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { Code, MessageStatusChip, ModeLabel, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import { may, pageMember } from "@/lib/auth/page-member";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { PanelLink } from "./side-panel";

type Props = {
  caption: string;
  messages: MessageSummary[];
  /** Of the log itself, which has a place for a message beside it. */
  hasPanel?: boolean;
  empty: ReactNode;
};

export function MessageTable({ caption, messages, hasPanel = false, empty }: Props) {
  const RowLink = hasPanel ? PanelLink : TextLink;
  const { role } = pageMember();
  return (
    <DataTable
      caption={caption}
      rows={messages}
      empty={empty}
      columns={{
        Time: {
          className: "xl:whitespace-nowrap",
          cell: ({ id, createdAt }) => (
            <RowLink href={`/dashboard/messages/${id}`}>
              <Timestamp at={createdAt} isInLink />
            </RowLink>
          ),
        },
        To: ({ phone }) => <span className="font-mono text-sm whitespace-nowrap">{shownRecipient(phone, role)}</span>,
        Line: ({ line, mode }) => (
          <span className="inline-flex flex-wrap items-center gap-2">
            {line.label}
            {mode === "test" ? <ModeLabel mode={mode} /> : null}
          </span>
        ),
        Message: { className: "sm:min-w-52", cell: messageKind },
        ...(may("seeApiKeys") ? { Key: keyCell } : {}),
        Status: {
          className: "sm:w-56",
          cell: ({ status, failureReason, failureCode }) => (
            <>
              <MessageStatusChip status={status} />
              {status === "FAILED" && failureReason ? (
                <p className="mt-1 line-clamp-2 text-xs text-muted">
                  {withCode(shownReason(failureReason, role), failureCode)}
                </p>
              ) : null}
            </>
          ),
        },
      }}
    />
  );
}

/** Sends from the dashboard have no key. */
const keyCell = ({ key }: MessageSummary) => key?.label ?? <Muted>Dashboard</Muted>;

const messageKind = ({ type, templateName, templateLanguage }: MessageSummary) =>
  templateName ? (
    <span className="line-clamp-3">
      <Code>{templateName}</Code> <Muted>{templateLanguage}</Muted>
    </span>
  ) : (
    type
  );

/** When a contact was last sent something, as a link to it. */
export function LastMessage({ message }: { message: { id: string; at: Date } | null }) {
  if (!message) return <Muted>None</Muted>;
  return (
    <TextLink href={`/dashboard/messages/${message.id}`}>
      <Timestamp at={message.at} isInLink />
    </TextLink>
  );
}

/** WhatsApp's words about a failure, led by its code unless they begin with it. */
export function withCode(reason: string, code: number | null): string {
  return code === null || reason.startsWith(`${code}`) ? reason : `${code}: ${reason}`;
}

export function NoMessageYet({ mode }: { mode: Mode }) {
  return (
    <EmptyState title={mode === "live" ? "No live message yet" : "No message yet"}>
      <TextLink href="/dashboard/send">Send a message</TextLink> from here, or the first one with a {mode} key:{" "}
      <TextLink href="/docs/quickstart">open the quickstart</TextLink>.
    </EmptyState>
  );
}
