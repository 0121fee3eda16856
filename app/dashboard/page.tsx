import type { ReactNode } from "react";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { UsageBar } from "@/app/_components/usage-bar";
import { requireMember } from "@/lib/auth/page-member";
import { getOverview } from "@/lib/dashboard/queries";
import { monthlyLimit } from "@/lib/plans/plans";
import { MessageTable } from "./_components/message-table";
import { NoMessageYet } from "./_components/no-message-yet";

export default async function OverviewPage() {
  const member = await requireMember();
  const { plan, messageLimit, timeZone } = member.workspace;
  const now = new Date();
  const { used, activeLines, approvedTemplates, latestMessages } = await getOverview(
    member.workspaceId,
    now.toISOString().slice(0, "2026-01".length).concat("-01"),
  );
  return (
    <>
      <PageHeading title="Overview" />
      <div className="grid gap-4 lg:grid-cols-[2fr_1fr_1fr]">
        <Tile name="Messages this month">
          <Usage used={used} limit={monthlyLimit(plan, messageLimit)} now={now} />
        </Tile>
        <Tile name="Active lines">
          <p className="text-2xl font-semibold">{count(activeLines)}</p>
          <TextLink href="/dashboard/phone-numbers">See all lines</TextLink>
        </Tile>
        <Tile name="Approved templates">
          <p className="text-2xl font-semibold">{count(approvedTemplates)}</p>
          <TextLink href="/dashboard/templates">See all templates</TextLink>
        </Tile>
      </div>
      <section className="mt-8">
        <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 className="text-lg font-semibold">Latest messages</h2>
          {latestMessages.length > 0 ? <TextLink href="/dashboard/messages">See all messages</TextLink> : null}
        </div>
        {latestMessages.length > 0 ? (
          <MessageTable caption={`Latest messages, times in ${timeZone}`} messages={latestMessages} member={member} />
        ) : (
          <NoMessageYet />
        )}
      </section>
    </>
  );
}

function Tile({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="rounded-card border border-hairline p-4 tabular-nums sm:p-5">
      <h2 className="text-sm text-muted">{name}</h2>
      <div className="mt-1">{children}</div>
    </section>
  );
}

function Usage({ used, limit, now }: { used: number; limit: number | null; now: Date }) {
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  if (limit === null) {
    return (
      <>
        <p className="text-2xl font-semibold">{count(used)}</p>
        <p className="text-muted">No monthly limit on this plan. Test messages are not counted.</p>
      </>
    );
  }
  const percent = limit === 0 ? 100 : Math.floor((100 * used) / limit);
  return (
    <>
      <p className="text-2xl font-semibold">
        {count(used)} <span className="text-base font-normal text-muted">of {count(limit)}</span>
      </p>
      <div className="my-2">
        <UsageBar used={used} limit={limit} label="Share of the monthly limit that is used" />
      </div>
      <p className="text-muted">
        {percent} % used · starts again on <time dateTime={resetsAt.toISOString()}>{RESET_DAY.format(resetsAt)}</time>,
        00:00 UTC
      </p>
    </>
  );
}

const RESET_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

const count = (value: number): string => value.toLocaleString("en-GB");
