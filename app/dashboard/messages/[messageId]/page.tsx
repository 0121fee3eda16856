import type { Metadata } from "next";
import { cache } from "react";
import { BackLink } from "@/app/_components/back-link";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CopyButton } from "@/app/_components/copy-button";
import { Heading } from "@/app/_components/heading";
import { RecordMode } from "@/app/_components/link-mode";
import { PageHeading } from "@/app/_components/page-heading";
import { MessageStatusChip, ModeLabel } from "@/app/_components/status-chips";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { requireMemberOf } from "@/lib/auth/page-member";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import { env } from "@/lib/core/env";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { findMessageWithEvents, type MessageWithEvents } from "@/lib/messages/queries";
import { refreshEveryMs } from "@/lib/messages/timeline";
import { can, whoCan } from "@/lib/workspaces/roles";
import { AutoRefresh } from "../../_components/auto-refresh";
import { MessageTimeline } from "../../_components/message-timeline";
import { PlatformFailure } from "../../_components/platform-failure";
import { MessageFields } from "./message-fields";
import { RawWebhook } from "./raw-webhook";
import { RequestBody } from "./request-body";

type Props = PageProps<"/dashboard/messages/[messageId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { found } = await readMessage(props);
  return { title: `Message ${found.id} · Messages` };
}

export default async function MessagePage(props: Props) {
  const { found: message, member } = await readMessage(props);
  const { timeZone } = member.workspace;
  const everyMs = refreshEveryMs(message, new Date());
  const mayReveal = can(member.role, "seeBodies") && message.events.some(({ hasRaw }) => hasRaw);
  return (
    <>
      {everyMs === null ? null : <AutoRefresh everyMs={everyMs} />}
      <RecordMode mode={message.mode}>
        <BackLink href="/dashboard/messages">Messages</BackLink>
        <PageHeading
          title={`Message to ${shownRecipient(message.phone, member.role)}`}
          actions={<Tools message={message} member={member} />}
        >
          <span className="flex flex-wrap items-center gap-2">
            <span role="status">
              <MessageStatusChip status={message.status} />
            </span>
            <ModeLabel mode={message.mode} />
            <span className="break-all">
              {message.templateName ? `Template ${message.templateName} (${message.templateLanguage})` : message.type}
            </span>
          </span>
        </PageHeading>
        {message.status === "FAILED" ? (
          <div className="mb-6">
            <PlatformFailure
              code={message.failureCode}
              said={shownReason(message.failureReason ?? "WhatsApp gave no reason.", member.role)}
              traceId={message.failureTraceId}
            />
          </div>
        ) : null}
        <div className="@container">
          <div className="grid items-start gap-6 @min-[60rem]:grid-cols-[5fr_6fr]">
            <div className="grid min-w-0 gap-6">
              <Card aria-labelledby="timeline">
                <Heading level={2} id="timeline" className="font-semibold">
                  Timeline
                </Heading>
                <p className="mb-4 text-sm text-muted">
                  In order of arrival, times in {timeZone}. Repeated events are shown once.
                  {mayReveal ? " Showing a raw webhook is logged in the audit log." : ""}
                </p>
                <Timeline message={message} member={member} />
              </Card>
              <Body message={message} member={member} />
            </div>
            <MessageFields message={message} member={member} />
          </div>
        </div>
      </RecordMode>
    </>
  );
}

function Tools({ message: { id, mode, hasRequest }, member }: { message: MessageWithEvents; member: Member }) {
  const maySendAgain = can(member.role, "seeBodies");
  const link = withQuery(`${env().APP_URL}/dashboard/messages/${id}`, { mode, workspace: member.workspaceId });
  return (
    <div className="grid justify-items-start gap-1 sm:justify-items-end">
      <div className="flex flex-wrap items-center gap-3">
        {maySendAgain && hasRequest ? (
          <ButtonLink look="secondary" href={`/dashboard/send?message=${id}`} prefetch={false}>
            Send again
          </ButtonLink>
        ) : null}
        <span data-copyable className="inline-flex items-center gap-1.5 text-sm">
          Link
          <CopyButton value={link} label="link to this message" />
        </span>
      </div>
      {maySendAgain ? null : <p className="text-sm text-muted">To send it again: {whoCan("seeBodies")}</p>}
    </div>
  );
}

/** With WhatsApp's own words, for those who may see bodies. */
function Timeline({ message, member }: { message: MessageWithEvents; member: Member }) {
  const { workspaceId } = member;
  if (!can(member.role, "seeBodies")) return <MessageTimeline message={message} member={member} />;
  const { hasRequest, events } = message;
  const isLacking = events.some(({ hasRaw }) => !hasRaw);
  return (
    <>
      <MessageTimeline
        message={message}
        member={member}
        below={({ id, hasRaw }, word) =>
          hasRaw ? <RawWebhook workspaceId={workspaceId} eventId={id} word={word} /> : null
        }
      />
      {isLacking ? (
        <p className="mt-5 text-sm text-muted">
          {hasRequest
            ? "If there is no button, the raw webhook was not stored: it was too large, or arrived before raw webhooks were stored."
            : `The raw webhooks were deleted: ${keptFor(member)}`}
        </p>
      ) : null}
    </>
  );
}

/** Absent for those who may not see bodies at all. */
function Body({ message: { id, hasRequest }, member }: { message: MessageWithEvents; member: Member }) {
  if (!can(member.role, "seeBodies")) return null;
  return (
    <Card aria-labelledby="body">
      <Heading level={2} id="body" className="mb-1 font-semibold">
        What was sent
      </Heading>
      {hasRequest ? (
        <RequestBody workspaceId={member.workspaceId} messageId={id} />
      ) : (
        <p className="text-sm text-muted">The contents were deleted: {keptFor(member)}</p>
      )}
    </Card>
  );
}

const keptFor = ({ workspace }: Member): string => {
  const days = workspace.retentionDays ?? env().MESSAGE_RETENTION_DAYS;
  return `they are stored for ${days} ${days === 1 ? "day" : "days"}, or until the contact is erased.`;
};

const memberAndMessage = cache((messageId: string, mode: Mode | undefined) =>
  requireMemberOf({ path: `/dashboard/messages/${messageId}`, mode }, (workspaceId) =>
    findMessageWithEvents(workspaceId, messageId),
  ),
);

const readMessage = async ({ params, searchParams }: Props) =>
  memberAndMessage((await params).messageId, readMode((await searchParams).mode));
