import { type Column, DataTable } from "@/app/_components/data-table";
import { MessageStatusChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { can } from "@/lib/workspaces/roles";
import { PanelLink } from "./panel-link";

type Props = {
  caption: string;
  messages: MessageSummary[];
  member: Member;
  /** Of the log itself, which has a place for a message beside it. */
  hasPanel?: boolean;
};

export function MessageTable({ caption, messages, member, hasPanel = false }: Props) {
  const RowLink = hasPanel ? PanelLink : TextLink;
  const seesKeys = can(member.role, "seeApiKeys");
  return (
    <DataTable
      caption={caption}
      rows={messages}
      rowKey={({ id }) => id}
      columns={[
        {
          heading: "Time",
          className: "xl:whitespace-nowrap",
          cell: ({ id, createdAt }) => (
            <RowLink href={`/dashboard/messages/${id}`} prefetch={false}>
              <Timestamp at={createdAt} timeZone={member.workspace.timeZone} isInLink />
            </RowLink>
          ),
        },
        {
          heading: "To",
          cell: ({ phone }) => (
            <span className="font-mono text-sm whitespace-nowrap">{shownRecipient(phone, member.role)}</span>
          ),
        },
        {
          heading: "Line",
          cell: ({ line, mode }) => (
            <span className="inline-flex flex-wrap items-center gap-2">
              {line.label}
              {mode === "test" ? <ModeLabel mode={mode} /> : null}
            </span>
          ),
        },
        { heading: "Message", className: "sm:min-w-52", cell: messageKind },
        ...(seesKeys ? [KEY] : []),
        {
          heading: "Status",
          className: "sm:w-56",
          cell: ({ status, failureReason, failureCode }) => (
            <>
              <MessageStatusChip status={status} />
              {status === "FAILED" && failureReason ? (
                <p className="mt-1 line-clamp-2 text-xs text-muted">
                  {withCode(shownReason(failureReason, member.role), failureCode)}
                </p>
              ) : null}
            </>
          ),
        },
      ]}
    />
  );
}

/** Sends from the dashboard have no key. */
const KEY: Column<MessageSummary> = {
  heading: "Key",
  cell: ({ key }) => key?.label ?? <span className="text-muted">Dashboard</span>,
};

const messageKind = ({ type, templateName, templateLanguage }: MessageSummary) =>
  templateName ? (
    <span className="line-clamp-3">
      <code className="font-mono text-sm break-all">{templateName}</code>{" "}
      <span className="text-muted">{templateLanguage}</span>
    </span>
  ) : (
    type
  );

const withCode = (reason: string, code: number | null): string =>
  code === null || reason.startsWith(`${code}`) ? reason : `${code}: ${reason}`;
