import { ButtonLink } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { PageMode } from "@/app/_components/link-mode";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { monthlyLimit } from "@/lib/core/plans";
import { withQuery } from "@/lib/core/query-string";
import { attentionOf } from "@/lib/dashboard/attention";
import { getAttentionFacts, listLatestMessages } from "@/lib/dashboard/overview-queries";
import { toBars } from "@/lib/messages/status-series";
import {
  getDurations,
  getHeadroom,
  listErrorCounts,
  listFailureCounts,
  listStatusCounts,
} from "@/lib/messages/usage-queries";
import { bucketsOf, readUsageFilters } from "@/lib/messages/usage-range";
import { getUnits } from "@/lib/workspaces/plan-queries";
import { reachedMark } from "@/lib/workspaces/quota";
import { can } from "@/lib/workspaces/roles";
import { AutoRefresh } from "./_components/auto-refresh";
import { MessageTable } from "./_components/message-table";
import { NoMessageYet } from "./_components/no-message-yet";
import { UsageFilters } from "./_components/usage-filters";
import { AttentionList } from "./_overview/attention-list";
import { ErrorTile } from "./_overview/error-tile";
import { LatencyTile } from "./_overview/latency-tile";
import { PlanTile } from "./_overview/plan-tile";
import { RateLimitTile } from "./_overview/rate-limit-tile";
import { SendsTile } from "./_overview/sends-tile";

const PATH = "/dashboard";
const REFRESH_MS = 60_000;

export default async function OverviewPage({ searchParams }: PageProps<"/dashboard">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace, role } = member;
  const { timeZone } = workspace;
  const now = new Date();
  const filters = readUsageFilters(await searchParams);
  const scope = { ...filters, mode, timeZone };
  const limit = monthlyLimit(workspace.plan, workspace.messageLimit);
  const seesApiKeys = can(role, "seeApiKeys");
  const [{ used }, facts, counts, failures, errors, durations, windows, latest] = await Promise.all([
    getUnits(workspaceId, limit),
    getAttentionFacts(workspaceId, { mode, seesApiKeys, seesWebhooks: can(role, "manageWebhooks"), now }),
    listStatusCounts(workspaceId, scope),
    listFailureCounts(workspaceId, scope),
    listErrorCounts(workspaceId, scope),
    getDurations(workspaceId, scope),
    getHeadroom(workspaceId, now),
    listLatestMessages(workspaceId, mode),
  ]);
  const bars = toBars(bucketsOf(filters.range, now, timeZone), counts);
  const { PUBLIC_API_IP_RATE_LIMIT: perIp, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  const hasSends = bars.some(({ total }) => total > 0);
  return (
    <>
      <PageMode mode={mode} />
      <AutoRefresh everyMs={REFRESH_MS} />
      <PageHeading
        title="Overview"
        actions={
          <ButtonLink href="/dashboard/send">
            <Icon name="send" />
            Send message
          </ButtonLink>
        }
      />
      <AttentionList
        items={attentionOf({ ...facts, quotaMark: mode === "live" ? reachedMark(used, limit) : undefined })}
        now={now}
        timeZone={timeZone}
      />
      <UsageFilters path={PATH} mode={mode} filters={filters} member={member} />
      <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
        <div className="min-w-0 lg:col-span-full">
          <SendsTile
            bars={bars}
            filters={filters}
            timeZone={timeZone}
            href={(view) => withQuery(PATH, { ...filters, view })}
            absent={hasSends ? undefined : <NoSends latest={latest[0]} mode={mode} timeZone={timeZone} />}
          />
        </div>
        <PlanTile used={used} limit={limit} now={now} timeZone={timeZone} />
        <RateLimitTile
          address={windows.address && { name: `IP ${windows.address.ip}`, calls: windows.address.calls, limit: perIp }}
          apiKey={
            windows.key && {
              name: seesApiKeys ? `Key ${windows.key.label}` : "The busiest key",
              calls: windows.key.calls,
              limit: perKey,
            }
          }
          resetsAt={windows.resetsAt}
          timeZone={timeZone}
        />
        <div className="min-w-0 lg:max-xl:col-span-full">
          <LatencyTile durations={durations} filters={filters} />
        </div>
        <div className="min-w-0 lg:col-span-full">
          <ErrorTile errors={errors} failures={failures} filters={filters} />
        </div>
      </div>
      <section className="mt-8">
        <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 className="text-lg font-semibold">Latest messages</h2>
          {latest.length > 0 ? <TextLink href="/dashboard/messages">See all messages</TextLink> : null}
        </div>
        {latest.length > 0 ? (
          <MessageTable caption={`Latest messages, times in ${timeZone}`} messages={latest} member={member} />
        ) : (
          <NoMessageYet mode={mode} />
        )}
      </section>
    </>
  );
}

type NoSendsProps = { latest: { createdAt: Date } | undefined; mode: Mode; timeZone: string };

function NoSends({ latest, mode, timeZone }: NoSendsProps) {
  return (
    <EmptyState title="No sends in this range">
      {latest ? (
        <>
          The last {mode} message was created on{" "}
          {latest.createdAt.toLocaleDateString("en-GB", { timeZone, day: "numeric", month: "long" })}. Numbers follow
          within a minute.
        </>
      ) : (
        <>
          <TextLink href="/dashboard/get-started">Get started</TextLink> with a first {mode} message. Numbers are
          counted within a minute.
        </>
      )}
    </EmptyState>
  );
}
