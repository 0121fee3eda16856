import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState, Notice, ROWS, Section } from "@/app/_components/panels";
import { Chip, type Chips } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { durationWords } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/text";
import {
  countRefusedSignatures,
  type Notice as FeedNotice,
  getWebhookTraffic,
  listNotices,
  listSilentLines,
} from "@/lib/incoming/queries";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { Allowed, Page } from "../_components/page-frame";
import { MemberWebhookValues, WebhookCounts, WebhookLag } from "../_components/whatsapp-webhooks";
import { RunCheck } from "../phone-numbers/_components/run-check";
import { runWebhookCheck } from "../phone-numbers/actions";

export const metadata = { title: "WhatsApp connection" };

export default async function WhatsAppFeedPage({ searchParams }: PageProps<"/dashboard/webhooks">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace } = member;
  const [allLines, traffic, refused, silentLines, notices] = await Promise.all([
    listAllLines(workspaceId),
    getWebhookTraffic(workspaceId),
    countRefusedSignatures(workspaceId),
    listSilentLines(workspaceId),
    listNotices(workspaceId),
  ]);
  const lines = allLines.filter((line) => line.mode === mode && (!line.disconnectedAt || traffic.has(line.id)));
  return (
    <Page
      title="WhatsApp connection"
      intro="What WhatsApp’s webhooks report: deliveries, reads, failures, and messages from contacts. Without them a message stays “Sent”."
      mode={mode}
      refreshMs={5_000}
    >
      {silentLines.length > 0 ? (
        <div className="mb-6 grid gap-3">
          {silentLines.map(({ id, label, waiting, sinceMs }) => (
            <Notice key={id} tone="bad">
              <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>: no status webhook for{" "}
              {durationWords(sinceMs)} while {formatNumber(waiting)} {waiting === 1 ? "send waits" : "sends wait"} for
              one. Run the check below, then compare the values.
            </Notice>
          ))}
        </div>
      ) : null}
      <DataTable
        caption={`Webhooks of the last 24 hours by line, times in ${workspace.timeZone}`}
        rows={lines}
        columns={{
          Line: ({ id, label }) => <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>,
          "Last received": ({ lastWebhookAt }) => <Ago at={lastWebhookAt} absent="Nothing received yet" />,
          Lag: ({ id }) => <WebhookLag traffic={traffic.get(id)} />,
          Counts: ({ id, whatsappPhoneNumberId }) => (
            <WebhookCounts traffic={traffic.get(id)} refusedSignatures={refused.get(whatsappPhoneNumberId) ?? 0} />
          ),
        }}
        empty={
          <EmptyState title={`No ${mode} line yet`}>
            Webhooks arrive for connected lines. <TextLink href="/dashboard/phone-numbers/new">Connect a line</TextLink>
            , and paste the values below at WhatsApp.
          </EmptyState>
        }
      />
      <div className="mt-8 grid items-start gap-8 xl:grid-cols-[7fr_5fr]">
        <Section title="Values for WhatsApp">
          <MemberWebhookValues />
          <div className="mt-4">
            <Allowed to="manageLines" step="Run check" look="secondary">
              <RunCheck action={runWebhookCheck} word="Run check" />
            </Allowed>
          </div>
        </Section>
        <NoticeList notices={notices} lines={allLines} />
      </div>
    </Page>
  );
}

const MAX_SHOWN = 20;

type Props = { notices: FeedNotice[]; lines: { label: string; whatsappPhoneNumberId: string }[] };

/** WhatsApp's verifications and refused webhooks, newest first. */
function NoticeList({ notices, lines }: Props) {
  const labelOf = (number: string | null) => lines.find((line) => line.whatsappPhoneNumberId === number)?.label;
  return (
    <Section title="Verification and refusals, last 7 days">
      {notices.length === 0 ? (
        <p className="text-muted">
          Nothing yet. WhatsApp’s verification appears here within seconds, with the reason where it is refused.
        </p>
      ) : (
        <ul className={ROWS}>
          {notices.slice(0, MAX_SHOWN).map(({ id, at, kind, reason, bodyDigest, whatsappPhoneNumberId }) => (
            <li key={id} className="grid gap-1 py-2.5">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Chip {...LOOKS[kind]} />
                <Timestamp at={at} />
                {whatsappPhoneNumberId ? (
                  <span className="text-sm text-muted">Claims line: {labelOf(whatsappPhoneNumberId)}</span>
                ) : null}
              </p>
              {reason ? <p className="text-sm">{reason}</p> : null}
              {bodyDigest ? (
                <p className="text-sm text-muted">
                  Body SHA-256 <code className="font-mono">{bodyDigest}…</code>
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const LOOKS: Chips<FeedNotice["kind"]> = {
  verified: { tone: "good", icon: "check", word: "Verified" },
  verificationRefused: { tone: "bad", icon: "cross", word: "Verification refused" },
  signatureRefused: { tone: "bad", icon: "cross", word: "Bad signature" },
  unknownNumber: { tone: "caution", icon: "alert", word: "Unknown number" },
};
