import type { Metadata } from "next";
import { Ago } from "@/app/_components/ago";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { durationWords } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/number";
import { countRefusedSignatures, getWebhookTraffic, listNotices, listSilentLines } from "@/lib/incoming/queries";
import { listLines } from "@/lib/phone-numbers/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { AutoRefresh } from "../_components/auto-refresh";
import { MemberWebhookValues } from "../_components/member-webhook-values";
import { WebhookCounts, WebhookLag } from "../_components/webhook-counts";
import { RunCheck } from "../phone-numbers/_components/run-check";
import { runWebhookCheck } from "./actions";
import { NoticeList } from "./notice-list";

export const metadata: Metadata = { title: "WhatsApp feed" };

export default async function WhatsAppFeedPage({ searchParams }: PageProps<"/dashboard/webhooks">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace, role } = member;
  const [allLines, traffic, refused, silentLines, notices] = await Promise.all([
    listLines(workspaceId),
    getWebhookTraffic(workspaceId),
    countRefusedSignatures(workspaceId),
    listSilentLines(workspaceId),
    listNotices(workspaceId),
  ]);
  const lines = allLines.filter((line) => line.mode === mode && (!line.disconnectedAt || traffic.has(line.id)));
  const canManage = can(role, "manageLines");
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="WhatsApp feed">
        What WhatsApp’s webhooks report: deliveries, reads, failures, and messages from contacts. Without them a message
        stays “Sent”.
      </PageHeading>
      <AutoRefresh everyMs={5_000} />
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
      {lines.length === 0 ? (
        <EmptyState title={`No ${mode} line yet`}>
          Webhooks arrive for connected lines. <TextLink href="/dashboard/phone-numbers/new">Connect a line</TextLink>,
          and paste the values below at WhatsApp.
        </EmptyState>
      ) : (
        <DataTable
          caption={`Webhooks of the last 24 hours by line, times in ${workspace.timeZone}`}
          rows={lines}
          rowKey={({ id }) => id}
          columns={[
            {
              heading: "Line",
              cell: ({ id, label }) => <TextLink href={`/dashboard/phone-numbers/${id}`}>{label}</TextLink>,
            },
            {
              heading: "Last received",
              cell: ({ lastWebhookAt }) =>
                lastWebhookAt ? <Ago at={lastWebhookAt} /> : <span className="text-muted">Nothing received yet</span>,
            },
            { heading: "Lag", cell: ({ id }) => <WebhookLag traffic={traffic.get(id)} /> },
            {
              heading: "Counts",
              cell: ({ id, whatsappPhoneNumberId }) => (
                <WebhookCounts traffic={traffic.get(id)} refusedSignatures={refused.get(whatsappPhoneNumberId) ?? 0} />
              ),
            },
          ]}
        />
      )}
      <div className="mt-8 grid items-start gap-8 xl:grid-cols-[7fr_5fr]">
        <section aria-labelledby="values">
          <h2 id="values" className="mb-3 text-lg font-semibold">
            Values for WhatsApp
          </h2>
          <MemberWebhookValues canSeeToken={canManage} />
          <div className="mt-4">
            <RunCheck
              action={runWebhookCheck}
              workspaceId={workspaceId}
              lack={canManage ? undefined : whoCan("manageLines")}
            />
          </div>
        </section>
        <NoticeList notices={notices} timeZone={workspace.timeZone} lines={allLines} />
      </div>
    </>
  );
}
