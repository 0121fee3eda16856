import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { Copyable } from "@/app/_components/copyable";
import { FailurePanel } from "@/app/_components/failure-panel";
import { FieldRow, Fields } from "@/app/_components/fields";
import { PageHeading } from "@/app/_components/page-heading";
import { MessageStatusChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { findMessageWithEvents } from "@/lib/dashboard/queries";
import { shownRecipient } from "@/lib/dashboard/recipient";
import { can } from "@/lib/workspaces/roles";
import { Timeline } from "./timeline";

type Props = PageProps<"/dashboard/messages/[messageId]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const { message } = await readMessage((await params).messageId);
  return { title: `Message ${message.id} · Messages` };
};

export default async function MessagePage({ params }: Props) {
  const { message, member } = await readMessage((await params).messageId);
  const { timeZone } = member.workspace;
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/messages">Messages</TextLink>
      </p>
      <PageHeading title={`Message to ${shownRecipient(message.phone, member.role)}`}>
        <span className="flex flex-wrap items-center gap-2">
          <MessageStatusChip status={message.status} />
          <ModeLabel mode={message.mode} />
          <span>
            {message.templateName ? `Template ${message.templateName} (${message.templateLanguage})` : message.type}
          </span>
        </span>
      </PageHeading>
      {message.failureReason ? (
        <div className="mb-6">
          <FailurePanel title={message.failureCode ? `The platform refused it (${message.failureCode})` : "It failed"}>
            {message.failureReason}
          </FailurePanel>
        </div>
      ) : null}
      <div className="grid items-start gap-6 xl:grid-cols-[2fr_3fr]">
        <Timeline message={message} timeZone={timeZone} />
        <Fields>
          <FieldRow name="Message id">
            <Copyable value={message.id} label="message id" />
          </FieldRow>
          <FieldRow name="Platform’s message id">
            {message.whatsappMessageId ? (
              <Copyable value={message.whatsappMessageId} label="platform’s message id" />
            ) : (
              ABSENT
            )}
          </FieldRow>
          <FieldRow name="Line">
            <TextLink href={`/dashboard/phone-numbers/${message.line.id}`}>{message.line.label}</TextLink>
          </FieldRow>
          <FieldRow name="Contact id">
            <Copyable value={message.contactId} label="contact id" />
          </FieldRow>
          <FieldRow name="Idempotency key">
            {message.idempotencyKey ? <Copyable value={message.idempotencyKey} label="idempotency key" /> : ABSENT}
          </FieldRow>
          <FieldRow name="Request id">
            {message.requestId ? <Copyable value={message.requestId} label="request id" /> : ABSENT}
          </FieldRow>
          {can(member.role, "seeApiKeys") ? <FieldRow name="API key">{message.apiKeyLabel ?? ABSENT}</FieldRow> : null}
          <FieldRow name="Created">
            <Timestamp at={message.createdAt} timeZone={timeZone} />
          </FieldRow>
          <FieldRow name="Sent">
            <Timestamp at={message.sentAt} timeZone={timeZone} absent="Not yet" />
          </FieldRow>
          <FieldRow name="Delivered">
            <Timestamp at={message.deliveredAt} timeZone={timeZone} absent="Not yet" />
          </FieldRow>
          <FieldRow name="Read">
            <Timestamp at={message.readAt} timeZone={timeZone} absent="Not yet" />
          </FieldRow>
        </Fields>
      </div>
    </>
  );
}

const ABSENT = <span className="text-muted">None</span>;

const readMessage = cache(async (messageId: string) => {
  const member = await requireMember();
  const message = await findMessageWithEvents(member.workspaceId, messageId);
  if (!message) notFound();
  return { message, member };
});
