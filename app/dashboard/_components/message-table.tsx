import { DataTable } from "@/app/_components/data-table";
import { MessageStatusChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import type { MessageSummary } from "@/lib/dashboard/queries";
import { shownRecipient } from "@/lib/dashboard/recipient";

type Props = { caption: string; messages: MessageSummary[]; member: Member };

export function MessageTable({ caption, messages, member }: Props) {
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
            <TextLink href={`/dashboard/messages/${id}`} prefetch={false}>
              <Timestamp at={createdAt} timeZone={member.workspace.timeZone} isInLink />
            </TextLink>
          ),
        },
        {
          heading: "Recipient",
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
        { heading: "Type", cell: messageKind },
        {
          heading: "Status",
          className: "sm:w-72",
          cell: ({ status, failureReason }) => (
            <>
              <MessageStatusChip status={status} />
              {failureReason ? <p className="mt-1 line-clamp-2 text-xs text-muted">{failureReason}</p> : null}
            </>
          ),
        },
      ]}
    />
  );
}

const messageKind = ({ type, templateName, templateLanguage }: MessageSummary) =>
  templateName ? (
    <span>
      <code className="font-mono text-sm">{templateName}</code> <span className="text-muted">{templateLanguage}</span>
    </span>
  ) : (
    type
  );
