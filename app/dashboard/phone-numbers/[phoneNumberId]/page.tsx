import type { ReactNode } from "react";
import { ButtonLink } from "@/app/_components/button";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Fields, Notice, Section } from "@/app/_components/panels";
import { Code, ModeLabel, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { may, recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import {
  countRefusedSignatures,
  getWebhookTraffic,
  listSilentLines,
  type WebhookTraffic,
} from "@/lib/incoming/queries";
import { problemsOf } from "@/lib/phone-numbers/health";
import { formatNotice } from "@/lib/phone-numbers/notices";
import { findLine, getLineUsage, type LineWithNotices } from "@/lib/phone-numbers/queries";
import { limitWord, qualityWord, throughputWord } from "@/lib/phone-numbers/words";
import { Allowed, Page } from "../../_components/page-frame";
import { WebhookLag } from "../../_components/whatsapp-webhooks";
import { LineChip, TokenState } from "../_components/line-state";
import { RunCheck } from "../_components/run-check";
import { runLineCheck } from "../actions";
import { LineActions, LineProblems, LineSettings, ResumeLine } from "./line-settings";

const readLine = recordPageLoader("/dashboard/phone-numbers/[phoneNumberId]", findLine);

export const generateMetadata = recordTitle(readLine, ({ label }) => `${label} · Lines`);

export default async function LinePage(props: PageProps<"/dashboard/phone-numbers/[phoneNumberId]">) {
  const { member, found: line } = await readLine(props);
  const { workspaceId } = member;
  const [silentLines, traffic, refused, usage] = await Promise.all([
    listSilentLines(workspaceId),
    getWebhookTraffic(workspaceId),
    countRefusedSignatures(workspaceId),
    getLineUsage(workspaceId, line),
  ]);
  const silence = silentLines.find(({ id }) => id === line.id);
  const problems = problemsOf({ ...line, silence }, new Date());
  return (
    <Page
      title={line.label}
      chips={
        <>
          {line.displayPhoneNumber}
          <LineChip line={line} worst={problems[0]} />
          {line.mode === "test" ? <ModeLabel mode={line.mode} /> : null}
          {line.isDefault ? <span className="text-sm">Default line</span> : null}
        </>
      }
      actions={line.disconnectedAt ? undefined : <Steps line={line} sent={usage.total} />}
      back={{ href: "/dashboard/phone-numbers", word: "Lines" }}
      recordMode={line.mode}
    >
      {line.disconnectedAt ? (
        <Notice className="mb-6">
          This line is disconnected: nothing can be sent from it, and its token is deleted. Its messages stay.
          {line.mode === "live" ? "  Connect the same number again to restore this line with its id." : ""}
        </Notice>
      ) : null}
      <LineProblems phoneNumberId={line.id} problems={problems} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
        <KeyFacts line={line} usage={usage} />
        {line.disconnectedAt ? null : <LineSettings line={line} />}
        <CodeBlock label="Name this line in a send" code={`"phoneNumberId": "${line.id}"`} />
        <Section
          title="Webhooks, last 24 hours"
          aside={<TextLink href="/dashboard/webhooks">WhatsApp connection</TextLink>}
        >
          <WebhookFacts
            traffic={traffic.get(line.id)}
            refusedSignatures={refused.get(line.whatsappPhoneNumberId) ?? 0}
          />
          {line.disconnectedAt ? null : (
            <div className="mt-3">
              <Allowed to="manageLines" step="Run check" look="secondary">
                <RunCheck action={runLineCheck} fields={{ phoneNumberId: line.id }} word="Run check" />
              </Allowed>
            </div>
          )}
        </Section>
        <details>
          <summary className="font-medium">All details</summary>
          <div className="mt-3">
            <LineFacts line={line} />
          </div>
        </details>
      </div>
    </Page>
  );
}

/** One main action, and the others in a menu. */
function Steps({ line, sent }: { line: LineWithNotices; sent: number }) {
  const mayManage = may("manageLines");
  return (
    <div className="flex flex-wrap items-start gap-2">
      {line.isActive && (line.mode === "test" || may("sendLiveMessage")) ? (
        <ButtonLink icon="send" href={`/dashboard/send?line=${line.id}&mode=${line.mode}`}>
          Send from this line
        </ButtonLink>
      ) : null}
      {mayManage && !line.isActive ? <ResumeLine line={line} /> : null}
      {mayManage ? <LineActions line={line} sent={sent} /> : null}
    </div>
  );
}

type Usage = Awaited<ReturnType<typeof getLineUsage>>;

/** What an owner asks first: how much was sent, whether statuses arrive, and what WhatsApp allows. */
function KeyFacts({ line, usage }: { line: LineWithNotices; usage: Usage }) {
  const { id, lastWebhookAt, qualityRating, messagingLimit } = line;
  const { total, failed, failures } = usage;
  const [first, second] = failures;
  const most = first && first.count > (second?.count ?? 0) ? explainPlatformCode(first.code ?? -1) : undefined;
  return (
    <dl className="grid gap-x-8 gap-y-5 sm:grid-cols-2 xl:grid-cols-4">
      <Fact name="Last 7 days" value={`${formatNumber(total)} ${total === 1 ? "message" : "messages"}`}>
        {failed > 0 ? (
          <>
            <TextLink href={`/dashboard/messages?line=${id}&status=FAILED`}>{formatNumber(failed)} failed</TextLink>
            {most ? `, most often: ${most.title} (${most.code})` : null}
          </>
        ) : (
          <TextLink href={`/dashboard/messages?line=${id}`}>See messages</TextLink>
        )}
      </Fact>
      <Fact name="Last webhook" value={<Ago at={lastWebhookAt} absent="None yet" />}>
        {lastWebhookAt ? "Statuses arrive from WhatsApp." : "Statuses of messages arrive by webhook."}
      </Fact>
      <Fact name="Quality" value={qualityWord(qualityRating) ?? "Not known yet"}>
        How people react to its messages
      </Fact>
      <Fact name="Limit" value={limitWord(messagingLimit) ?? "Not known yet"}>
        How many people it may write to first
      </Fact>
    </dl>
  );
}

function Fact({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
      <dd className="text-sm text-muted">{children}</dd>
    </div>
  );
}

/** The same counts as under WhatsApp connection, in an owner's words. */
function WebhookFacts({
  traffic,
  refusedSignatures,
}: {
  traffic: WebhookTraffic | undefined;
  refusedSignatures: number;
}) {
  const { taken = 0, inbound = 0, duplicates = 0, outOfOrder = 0, unmatched = 0 } = traffic ?? {};
  const repeated = duplicates > 0 ? `${formatNumber(duplicates)} came twice` : "";
  const late = outOfOrder > 0 ? `${formatNumber(outOfOrder)} came late` : "";
  const harmless = [repeated, late].filter((part) => part !== "").join(", ");
  return (
    <Fields
      rows={{
        "Status updates": (
          <>
            {formatNumber(taken + outOfOrder)} {harmless ? <Muted>({harmless}; both are handled)</Muted> : null}
          </>
        ),
        "Messages from people": formatNumber(inbound),
        "Of other systems":
          unmatched === 0 ? null : `${formatNumber(unmatched)} about messages that were not sent here`,
        Refused: (
          <span className={refusedSignatures ? "font-medium text-danger" : undefined}>
            {refusedSignatures === 0 ? "None" : `${formatNumber(refusedSignatures)} with a wrong signature`}
          </span>
        ),
        "Time on the way": <WebhookLag traffic={traffic} />,
      }}
    />
  );
}

function LineFacts({ line }: { line: LineWithNotices }) {
  return (
    <Fields
      rows={{
        "Line id": <Copyable value={line.id} label="line id" />,
        "WhatsApp number ID": (
          <>
            <span className="font-mono text-sm text-muted">{line.whatsappPhoneNumberId}</span>
            <span className="block text-sm text-muted">not accepted by this API</span>
          </>
        ),
        "Business account": <Code>{line.whatsappBusinessAccountId}</Code>,
        "Verified name": line.verifiedName ?? NOT_KNOWN,
        Subscription:
          line.mode === "test" ? null : <Timestamp before="Confirmed" at={line.subscribedAt} absent="Not confirmed" />,
        Token: (
          <>
            <TokenState line={line} />
            {line.tokenCheckedAt ? (
              <span className="block text-sm text-muted">
                Checked <Timestamp at={line.tokenCheckedAt} />
              </span>
            ) : null}
          </>
        ),
        Throughput: throughputWord(line.throughput) ?? NOT_KNOWN,
        "Account notices": (
          <>
            {line.notices.length === 0 ? <Muted>None</Muted> : null}
            {line.notices.slice(0, MAX_NOTICES).map((notice) => (
              <span key={notice.kind} className="block text-sm">
                {formatNotice(notice)}{" "}
                <Muted>
                  <Timestamp at={notice.occurredAt} />
                </Muted>
              </span>
            ))}
          </>
        ),
        Connected: <Timestamp at={line.createdAt} />,
        Disconnected: line.disconnectedAt && <Timestamp at={line.disconnectedAt} />,
      }}
    />
  );
}

/** One notice of each kind, the latest first. */
const MAX_NOTICES = 6;

const NOT_KNOWN = <Muted>Not known yet</Muted>;
