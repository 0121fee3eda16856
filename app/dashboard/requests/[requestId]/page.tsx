import type { Metadata } from "next";
import { cache } from "react";
import { BackLink } from "@/app/_components/back-link";
import { Chip } from "@/app/_components/chip";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { RecordMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { HttpStatusChip, ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import { requireMemberOf } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/number";
import { readMode } from "@/lib/core/page-mode";
import { reproduction } from "@/lib/docs/reproduction";
import { findRequest, type Request, readRequestContents } from "@/lib/public-api/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { Refusal } from "./refusal";

type Props = PageProps<"/dashboard/requests/[requestId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { found } = await readRequest(props);
  return { title: `Request ${found.id} · Requests` };
}

export default async function RequestPage(props: Props) {
  const { member, found: request } = await readRequest(props);
  const maySeeBodies = can(member.role, "seeBodies");
  const contents = maySeeBodies
    ? await readRequestContents(member.workspaceId, request.id)
    : { body: null, answer: null };
  const apiKey = can(member.role, "seeApiKeys") ? (request.apiKey ?? undefined) : undefined;
  return (
    <RecordMode mode={request.mode}>
      <BackLink href="/dashboard/requests">Requests</BackLink>
      <PageHeading
        title={
          <span className="break-words">
            {request.method} {request.path}
          </span>
        }
      >
        <span className="flex flex-wrap items-center gap-2">
          <HttpStatusChip status={request.status} />
          {request.isReplay ? <Chip tone="sent" icon="refresh" word="Replay" /> : null}
          <ModeLabel mode={request.mode} />
          <Timestamp at={request.at} timeZone={member.workspace.timeZone} />
        </span>
      </PageHeading>
      {request.errorCode ? <Refusal code={request.errorCode} answer={contents.answer} /> : null}
      <div className="@container">
        <div className="grid items-start gap-6 @min-[60rem]:grid-cols-2">
          <RequestFields request={request} apiKey={apiKey} />
          <div className="grid min-w-0 gap-4">
            {contents.body ? <CodeBlock label="What was sent, without its values" code={contents.body} /> : null}
            {contents.answer ? <CodeBlock label="What we answered" code={contents.answer} /> : null}
            {maySeeBodies ? null : <Notice>What was sent and answered is not shown here. {whoCan("seeBodies")}</Notice>}
            <CodeBlock
              label="The call in a shell"
              code={reproduction({ ...request, body: contents.body }, { origin: env().APP_URL, apiKey })}
            />
            {contents.body ? (
              <p className="text-sm text-muted">
                Values are never kept: put your own in place of <code className="font-mono">{"<… characters>"}</code>.
              </p>
            ) : null}
          </div>
        </div>
      </div>
    </RecordMode>
  );
}

function RequestFields({ request, apiKey }: { request: Request; apiKey: string | undefined }) {
  const { durationMs, platformMs } = request;
  return (
    <Fields>
      <FieldRow name="Request id">
        <Copyable value={request.id} label="request id" />
      </FieldRow>
      <FieldRow name="Message">
        {request.messageId ? (
          <TextLink href={`/dashboard/messages/${request.messageId}`}>
            <code className="font-mono text-sm break-all">{request.messageId}</code>
          </TextLink>
        ) : (
          <Absent word="None" />
        )}
      </FieldRow>
      {apiKey ? (
        <FieldRow name="Key">
          <TextLink href={`/dashboard/settings/api-keys/${request.apiKeyId}`}>{request.keyLabel ?? apiKey}</TextLink>
        </FieldRow>
      ) : null}
      <FieldRow name="Idempotency key">
        {request.idempotencyKey ? (
          <Copyable value={request.idempotencyKey} label="idempotency key" />
        ) : (
          <Absent word="None" />
        )}
      </FieldRow>
      <FieldRow name="Time taken">
        <span className="tabular-nums">{formatNumber(durationMs)} ms</span>
        {platformMs === null ? null : (
          <span className="text-muted tabular-nums"> · WhatsApp {formatNumber(platformMs)} ms</span>
        )}
      </FieldRow>
      <FieldRow name="Client IP">
        <code className="font-mono text-sm break-all">{request.ip}</code>
      </FieldRow>
      <FieldRow name="User agent">{request.userAgent ?? <Absent word="None given" />}</FieldRow>
      <FieldRow name="The caller’s own id">
        {request.clientRequestId ? (
          <Copyable value={request.clientRequestId} label="caller’s own id" />
        ) : (
          <Absent word="No X-Request-Id given" />
        )}
      </FieldRow>
    </Fields>
  );
}

const Absent = ({ word }: { word: string }) => <span className="text-muted">{word}</span>;

const memberAndRequest = cache((requestId: string, mode: Mode | undefined) =>
  requireMemberOf({ path: `/dashboard/requests/${requestId}`, mode }, (workspaceId) =>
    findRequest(workspaceId, requestId),
  ),
);

const readRequest = async ({ params, searchParams }: Props) =>
  memberAndRequest((await params).requestId, readMode((await searchParams).mode));
