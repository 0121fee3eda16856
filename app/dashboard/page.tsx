import { ButtonLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { Section } from "@/app/_components/panels";
import { Day } from "@/app/_components/timestamp";
import { getProblemFacts } from "@/lib/alerts/problem-queries";
import { problemsIn } from "@/lib/alerts/sources";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { type Mode, monthlyLimit } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { listLatestMessages } from "@/lib/dashboard/overview-queries";
import { getUnits } from "@/lib/limits/plan-queries";
import { toBars } from "@/lib/messages/usage/status-series";
import {
  getDurations,
  getHeaviestCallers,
  listErrorCounts,
  listFailureCounts,
  listStatusCounts,
} from "@/lib/messages/usage/usage-queries";
import { readUsageFilters, usageScope } from "@/lib/messages/usage/usage-range";
import { kindsFor } from "@/lib/workspaces/alert-kinds";
import { MessageTable } from "./_components/message-table";
import { Page } from "./_components/page-frame";
import { PortfolioLimits } from "./_components/portfolio-limits";
import { LatencyTile, PlanTile, ProblemList, RateLimitTile } from "./_overview/overview-tiles";
import { ErrorTile, SendsTile, Tile, UsageFilterFields } from "./_overview/usage-tiles";

const PATH = "/dashboard";
const REFRESH_MS = 60_000;

export default async function OverviewPage({ searchParams }: PageProps<"/dashboard">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const now = new Date();
  const filters = readUsageFilters(await searchParams, member.role);
  const scope = usageScope(filters, { mode, timeZone, now });
  const limit = monthlyLimit(workspace.plan, workspace.messageLimit);
  const [{ used }, facts, counts, failures, errors, durations, windows, latest] = await Promise.all([
    getUnits(workspaceId, limit),
    getProblemFacts(workspaceId, mode, now),
    listStatusCounts(workspaceId, scope),
    listFailureCounts(workspaceId, scope),
    listErrorCounts(workspaceId, scope),
    getDurations(workspaceId, scope),
    getHeaviestCallers(workspaceId, now),
    listLatestMessages(workspaceId, { mode, words: may("seeBodies") }),
  ]);
  const seen = kindsFor(member.role);
  const bars = toBars(scope.spans, counts);
  const hasPortfolios = facts.portfolios.length > 0;
  const hasSends = bars.some(({ total }) => total > 0);
  return (
    <Page
      title="Overview"
      actions={
        <ButtonLink icon="send" href="/dashboard/send">
          Send message
        </ButtonLink>
      }
      mode={mode}
      refreshMs={REFRESH_MS}
    >
      <ProblemList
        items={problemsIn(facts).filter(({ kind, weight }) => weight !== "lasting" && seen.includes(kind))}
        now={now}
      />
      <UsageFilterFields path={PATH} mode={mode} filters={filters} />
      <div className="mt-8 grid grid-cols-[minmax(0,1fr)] gap-8">
        <SendsTile
          bars={bars}
          filters={filters}
          href={(view) => withQuery(PATH, { ...filters, view })}
          absent={hasSends ? undefined : <NoSends latest={latest[0]} mode={mode} />}
        />
        <ErrorTile errors={errors} failures={failures} filters={filters} />
      </div>
      <Section
        title="Latest messages"
        aside={latest.length > 0 ? <TextLink href="/dashboard/messages">See all messages</TextLink> : null}
        className="mt-8"
      >
        <MessageTable caption={`Latest messages, times in ${timeZone}`} messages={latest} empty={<NoMessages />} />
      </Section>
      <Section title="Limits and speed" className="mt-8">
        <div className={`grid gap-x-8 gap-y-6 lg:grid-cols-2 ${hasPortfolios ? "" : "xl:grid-cols-3"}`}>
          <PlanTile used={used} limit={limit} now={now} mode={mode} />
          <BusiestCallers windows={windows} />
          {hasPortfolios ? (
            <Tile
              name="Messaging limit"
              aside={<TextLink href="/dashboard/phone-numbers#limits">What it means</TextLink>}
            >
              <PortfolioLimits portfolios={facts.portfolios} />
            </Tile>
          ) : null}
          <div className={`min-w-0 ${hasPortfolios ? "" : "lg:max-xl:col-span-full"}`}>
            <LatencyTile durations={durations} filters={filters} />
          </div>
        </div>
      </Section>
    </Page>
  );
}

function BusiestCallers({ windows }: { windows: Awaited<ReturnType<typeof getHeaviestCallers>> }) {
  const { PUBLIC_API_IP_RATE_LIMIT: perIp, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  return (
    <RateLimitTile
      address={windows.address && { name: `IP ${windows.address.ip}`, calls: windows.address.calls, limit: perIp }}
      apiKey={
        windows.key && {
          name: may("seeApiKeys") ? `Key ${windows.key.label}` : "The busiest key",
          calls: windows.key.calls,
          limit: perKey,
        }
      }
      resetsAt={windows.resetsAt}
    />
  );
}

function NoMessages() {
  return (
    <p className="max-w-prose text-muted">
      The newest five appear here. <TextLink href="/dashboard/send">Send a message</TextLink> to see one.
    </p>
  );
}

function NoSends({ latest, mode }: { latest: { createdAt: Date } | undefined; mode: Mode }) {
  return (
    <p className="max-w-prose text-muted">
      No sends in this range.{" "}
      {latest ? (
        <>
          The last {mode} message was created on <Day at={latest.createdAt} />. Numbers follow within a minute.
        </>
      ) : (
        <>
          <TextLink href="/dashboard/get-started">Get started</TextLink> with a first {mode} message. Numbers are
          counted within a minute.
        </>
      )}
    </p>
  );
}
