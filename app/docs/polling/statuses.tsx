import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { MessageStatusChip } from "@/app/_components/status-chips";
import type { MessageStatus } from "@/db/schema/messages";
import { Section } from "../_components/section";

export function Statuses() {
  return (
    <Section id="statuses" title="Statuses">
      <p>
        No event of WhatsApp moves a status back, in whatever order the events arrive; a message that was delivered
        stays so, even if a failure is reported late. Only a retry of yours does:{" "}
        <InlineCode text="a message that is `FAILED` because it was not sent is tried again under its idempotency key, and may become `SENT`. Treat a status that you do not know as not final." />
      </p>
      <DataTable
        caption="Statuses of a message"
        rows={STATUSES}
        rowKey={({ status }) => status}
        columns={[
          { heading: "Status", cell: ({ status }) => <code className="font-mono text-sm">{status}</code> },
          { heading: "Shown as", cell: ({ status }) => <MessageStatusChip status={status} /> },
          { heading: "Meaning", cell: ({ meaning }) => <InlineCode text={meaning} /> },
        ]}
      />
    </Section>
  );
}

const STATUSES: { status: MessageStatus; meaning: string }[] = [
  { status: "PENDING", meaning: "Stored, and on its way to WhatsApp." },
  {
    status: "UNKNOWN",
    meaning:
      "It may have been sent: WhatsApp gave no usable answer. A later event settles it; it is never sent again by us.",
  },
  { status: "SENT", meaning: "WhatsApp accepted it and `chatMessageId` is set. Delivery is not confirmed yet." },
  { status: "DELIVERED", meaning: "It reached the recipient’s device; `deliveredAt` is set." },
  { status: "READ", meaning: "The recipient opened it; `readAt` is set." },
  { status: "FAILED", meaning: "It was refused or could not be delivered; `failureReason` says why." },
];
