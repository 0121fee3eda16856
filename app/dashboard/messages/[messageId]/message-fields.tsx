import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import type { MessageWithEvents } from "@/lib/messages/queries";
import { can } from "@/lib/workspaces/roles";

export function MessageFields({ message, member }: { message: MessageWithEvents; member: Member }) {
  const { timeZone } = member.workspace;
  const { key, requestId } = message;
  const notYet = message.status === "FAILED" ? "No" : "Not yet";
  return (
    <Fields>
      <FieldRow name="Message id">
        <Copyable value={message.id} label="message id" />
      </FieldRow>
      <FieldRow name="WhatsApp message id">
        {message.whatsappMessageId === null ? (
          ABSENT
        ) : can(member.role, "seeFullRecipient") ? (
          <Copyable value={message.whatsappMessageId} label="WhatsApp message id" />
        ) : (
          <span className="text-muted">Not shown: it holds the recipient’s number.</span>
        )}
      </FieldRow>
      <FieldRow name="Line">
        <TextLink href={`/dashboard/phone-numbers/${message.line.id}`}>{message.line.label}</TextLink>
      </FieldRow>
      <FieldRow name="Contact id">
        <span className="flex flex-wrap items-center gap-x-3">
          <Copyable value={message.contactId} label="contact id" />
          <TextLink href={`/dashboard/contacts/${message.contactId}`} prefetch={false}>
            Open contact
          </TextLink>
        </span>
      </FieldRow>
      <FieldRow name="Idempotency key">
        {message.idempotencyKey ? <Copyable value={message.idempotencyKey} label="idempotency key" /> : ABSENT}
      </FieldRow>
      <FieldRow name="Request id">
        {requestId ? (
          <span className="flex flex-wrap items-center gap-x-3">
            <Copyable value={requestId} label="request id" />
            {/* The log of requests holds the calls of keys. */}
            {key ? (
              <TextLink href={`/dashboard/requests/${requestId}`} prefetch={false}>
                Open request
              </TextLink>
            ) : null}
          </span>
        ) : (
          ABSENT
        )}
      </FieldRow>
      {can(member.role, "seeApiKeys") ? (
        <FieldRow name="API key">
          {key ? (
            <TextLink href={`/dashboard/settings/api-keys/${key.id}`} prefetch={false}>
              {key.label}
            </TextLink>
          ) : (
            "None: sent from the dashboard"
          )}
        </FieldRow>
      ) : null}
      <FieldRow name="Created">
        <Timestamp at={message.createdAt} timeZone={timeZone} />
      </FieldRow>
      <FieldRow name="Sent">
        <Timestamp at={message.sentAt} timeZone={timeZone} absent={notYet} />
      </FieldRow>
      <FieldRow name="Delivered">
        <Timestamp at={message.deliveredAt} timeZone={timeZone} absent={notYet} />
      </FieldRow>
      <FieldRow name="Read">
        <Timestamp at={message.readAt} timeZone={timeZone} absent={notYet} />
      </FieldRow>
    </Fields>
  );
}

const ABSENT = <span className="text-muted">None</span>;
