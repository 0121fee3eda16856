import type { ReactNode } from "react";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { type Columns, DataTable, EmptyState } from "@/app/_components/panels";
import { MessageStatusMark, ModeLabel, Muted } from "@/app/_components/text";
import { dayHeading, TimeOfDay } from "@/app/_components/timestamp";
import { may, pageMember } from "@/lib/auth/page-member";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import type { Mode } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { PanelLink } from "./side-panel";

type Props = {
  caption: string;
  messages: MessageSummary[];
  /** Of the list: rows of the other mode are marked. */
  mode?: Mode;
  /** Of the log itself, which has a place for a message beside it. */
  hasPanel?: boolean;
  empty: ReactNode;
};

/** Messages under their days, each a person and what was sent. */
export function MessageTable({ caption, messages, mode, hasPanel = false, empty }: Props) {
  return (
    <DataTable
      caption={caption}
      rows={messages}
      empty={empty}
      href={({ id }) => `/dashboard/messages/${id}`}
      {...(hasPanel ? { link: PanelLink } : {})}
      groupOf={({ createdAt }) => dayHeading(createdAt)}
      columns={columnsFor(messages, mode)}
    />
  );
}

const columnsFor = (messages: MessageSummary[], mode: Mode | undefined): Columns<MessageSummary> => ({
  To: { className: "sm:w-[30%] sm:max-w-0", cell: (message) => <Recipient message={message} /> },
  Message: { className: "sm:w-[50%] sm:max-w-0", place: "below", cell: (message) => <Words message={message} /> },
  ...(differ(messages, ({ line }) => line.id) ? { Line: { cell: lineCell } } : {}),
  ...(may("seeApiKeys") && differ(messages, ({ key }) => key?.id) ? { Key: { cell: keyCell } } : {}),
  Status: { place: "belowEnd", className: "sm:whitespace-nowrap", cell: statusCell },
  Time: {
    place: "end",
    cell: ({ createdAt, mode: own }) => (
      <span className="inline-flex items-center gap-2">
        {mode !== undefined && own !== mode ? <ModeLabel mode={own} /> : null}
        <TimeOfDay at={createdAt} />
      </span>
    ),
  },
});

/** A column that says the same in every row is left out. */
const differ = (messages: MessageSummary[], value: (message: MessageSummary) => unknown): boolean =>
  new Set(messages.map(value)).size > 1;

type RowProps = { message: MessageSummary };

function Recipient({ message: { contactName, phone } }: RowProps) {
  const recipient = shownRecipient(phone, pageMember().role);
  return (
    <span className="block truncate">
      {contactName ? (
        <>
          <span dir="auto">{contactName}</span> <span className="text-sm font-normal text-muted">{recipient}</span>
        </>
      ) : (
        recipient
      )}
    </span>
  );
}

/** What the person reads: the first words, for those who may see them, or the template. */
function Words({ message: { words, type, templateName, templateLanguage } }: RowProps) {
  if (words) {
    return (
      <span
        dir="auto"
        className="inline-block max-w-full truncate rounded-card bg-bubble-out px-2.5 align-middle leading-7"
      >
        {words}
      </span>
    );
  }
  if (templateName === null) return <Muted>{sentenceCase(type)}</Muted>;
  return (
    <span className="flex items-center gap-1.5">
      <Icon name="template" className="text-muted" />
      <span className="min-w-0 truncate">
        {templateName} <Muted>{templateLanguage}</Muted>
      </span>
    </span>
  );
}

const lineCell = ({ line }: MessageSummary) => <Muted>{line.label}</Muted>;

/** Sends from the dashboard have no key. */
const keyCell = ({ key }: MessageSummary) => (
  <span className="block max-w-36 truncate text-muted">{key?.label ?? "Dashboard"}</span>
);

function statusCell({ status, failureCode, failureReason }: MessageSummary) {
  const reason = failureReason && shownReason(failureReason, pageMember().role);
  return (
    <span title={(status === "FAILED" && reason) || undefined} className="flex items-center gap-2 max-sm:justify-end">
      <MessageStatusMark status={status} />
      {status === "FAILED" && failureCode !== null ? (
        <Muted>
          {failureCode}
          <span className="max-xl:hidden"> {explainPlatformCode(failureCode)?.title}</span>
        </Muted>
      ) : null}
    </span>
  );
}

/** WhatsApp's words about a failure, led by its code unless they begin with it. */
export function withCode(reason: string, code: number | null): string {
  return code === null || reason.startsWith(`${code}`) ? reason : `${code}: ${reason}`;
}

export function NoMessageYet({ mode }: { mode: Mode }) {
  return (
    <EmptyState title={mode === "live" ? "No live message yet" : "No message yet"}>
      {may(mode === "live" ? "sendLiveMessage" : "sendTestMessage") ? (
        <>
          <TextLink href="/dashboard/send">Send a message</TextLink> from here, or the first one with a {mode} key:{" "}
          <TextLink href="/docs/quickstart">open the quickstart</TextLink>.
        </>
      ) : (
        "Messages appear here once they are sent."
      )}
    </EmptyState>
  );
}
