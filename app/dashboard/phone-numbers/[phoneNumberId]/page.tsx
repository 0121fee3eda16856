import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Fields, Notice, Section } from "@/app/_components/panels";
import { Code, ModeLabel, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import { countRefusedSignatures, getWebhookTraffic, listSilentLines } from "@/lib/incoming/queries";
import { problemsOf } from "@/lib/phone-numbers/health";
import { formatNotice } from "@/lib/phone-numbers/notices";
import { findLine, getLineUsage, type LineWithNotices } from "@/lib/phone-numbers/queries";
import { limitWord, qualityWord, throughputWord } from "@/lib/phone-numbers/words";
import { Allowed, Page } from "../../_components/page-frame";
import { WebhookCounts, WebhookLag } from "../../_components/whatsapp-webhooks";
import { LineChip, TokenState } from "../_components/line-state";
import { RunCheck } from "../_components/run-check";
import { runLineCheck } from "../actions";
import { LineProblems, LineSettings } from "./line-settings";

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
  const lineTraffic = traffic.get(line.id);
  return (
    <Page
      title={line.label}
      chips={
        <>
          {line.displayPhoneNumber}
          <LineChip line={line} />
          {line.mode === "test" ? <ModeLabel mode={line.mode} /> : null}
          {line.isDefault ? <span className="text-sm">Default line</span> : null}
        </>
      }
      back={{ href: "/dashboard/phone-numbers", word: "Lines" }}
      recordMode={line.mode}
    >
      {line.disconnectedAt ? (
        <Notice className="mb-6">
          This line is disconnected: nothing can be sent from it, and its token is deleted. Its messages stay.
          {line.mode === "live" ? "  Connect the same number again to restore this line with its id." : ""}
        </Notice>
      ) : null}
      <LineProblems phoneNumberId={line.id} problems={problemsOf({ ...line, silence }, new Date())} />
      <div className="grid items-start gap-8 xl:grid-cols-[3fr_2fr]">
        <div className="grid gap-8">
          <LineFacts line={line} />
          <Section
            title="Webhooks, last 24 hours"
            aside={<TextLink href="/dashboard/webhooks">WhatsApp connection</TextLink>}
          >
            <Fields
              rows={{
                "Last received": (
                  <>
                    <Timestamp at={line.lastWebhookAt} absent="None received yet" />
                    {line.lastWebhookAt ? (
                      <Muted>
                        {" "}
                        (<Ago at={line.lastWebhookAt} />)
                      </Muted>
                    ) : null}
                  </>
                ),
                Lag: <WebhookLag traffic={lineTraffic} />,
                Counts: (
                  <WebhookCounts
                    traffic={lineTraffic}
                    refusedSignatures={refused.get(line.whatsappPhoneNumberId) ?? 0}
                  />
                ),
                Subscription:
                  line.mode === "test" ? null : (
                    <Timestamp before="Confirmed" at={line.subscribedAt} absent="Not confirmed" />
                  ),
              }}
            />
            {line.disconnectedAt ? null : (
              <div className="mt-3">
                <Allowed to="manageLines" step="Run check" look="secondary">
                  <RunCheck action={runLineCheck} fields={{ phoneNumberId: line.id }} word="Run check" />
                </Allowed>
              </div>
            )}
          </Section>
        </div>
        <div className="grid min-w-0 gap-8">
          <CodeBlock label="Name this line in a send" code={`"phoneNumberId": "${line.id}"`} />
          <LineUsage id={line.id} usage={usage} />
          {line.disconnectedAt ? null : <LineSettings line={line} />}
        </div>
      </div>
    </Page>
  );
}

const MAX_FAILURES = 5;

function LineUsage({ id, usage }: { id: string; usage: Awaited<ReturnType<typeof getLineUsage>> }) {
  const { total, failed, failures } = usage;
  return (
    <Section title="Last 7 days">
      <p className="tabular-nums">
        {formatNumber(total)} {total === 1 ? "message" : "messages"}, {formatNumber(failed)} failed
      </p>
      <ul className="mt-2 grid gap-1 empty:hidden">
        {failures.slice(0, MAX_FAILURES).map(({ code, count }) => (
          <li key={code ?? "none"} className="tabular-nums">
            <Code>{code ?? "Without a code"}</Code> <Muted>× {formatNumber(count)}</Muted>
          </li>
        ))}
      </ul>
      <p className="mt-2 flex flex-wrap gap-x-4">
        <TextLink href={`/dashboard/messages?line=${id}`}>Messages of this line</TextLink>
        {failed > 0 ? <TextLink href={`/dashboard/messages?line=${id}&status=FAILED`}>Failed messages</TextLink> : null}
      </p>
    </Section>
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
        Quality: qualityWord(line.qualityRating) ?? NOT_KNOWN,
        Limit: limitWord(line.messagingLimit) ?? NOT_KNOWN,
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

/** One of each kind; the latest come first. */
const MAX_NOTICES = 6;

const NOT_KNOWN = <Muted>Not known yet</Muted>;
