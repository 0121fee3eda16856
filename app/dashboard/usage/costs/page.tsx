import { ButtonLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { Tabs } from "@/app/_components/list-links";
import { EmptyState, Section } from "@/app/_components/panels";
import { listReader } from "@/db/read-lists";
import { pageMember, requireMember, shownMode } from "@/lib/auth/page-member";
import { localDay } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import {
  type CostFilters,
  type CostScope,
  costBucketsOf,
  costPeriodOf,
  costRanges,
  costScopeOf,
  DEFAULT_COST_RANGE,
  readCostFilters,
} from "@/lib/costs/cost-range";
import { findBudget, listCosts } from "@/lib/costs/queries";
import { type CostReport, getCostReport } from "@/lib/costs/report-queries";
import { Page } from "../../_components/page-frame";
import { UsageFilterFields, UsageTabs } from "../../_overview/usage-tiles";
import { MessagesChart, MoneyChart } from "./cost-chart";
import { CostFigure } from "./cost-figure";
import { CostSection, CostTable } from "./cost-table";

export const metadata = { title: "Costs · Usage" };

const PATH = "/dashboard/usage/costs";

export default async function CostsPage({ searchParams }: PageProps<"/dashboard/usage/costs">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, role } = member;
  const { timeZone } = member.workspace;
  const filters = readCostFilters(await searchParams, role);
  const now = new Date();
  const period = costPeriodOf(filters, now, timeZone);
  const scope = costScopeOf(filters, { mode, timeZone, ...period });
  const scopeBefore = costScopeOf(filters, { mode, timeZone, ...(period.wholeBefore ?? period.before) });
  const hasBudget = mode === "live" && period.wholeBefore !== undefined;
  const lists = listReader(member);
  const [report, before, budget] = await lists.read(() =>
    Promise.all([
      getCostReport(workspaceId, scope, role),
      listCosts(workspaceId, scopeBefore),
      hasBudget ? findBudget(workspaceId) : undefined,
    ]),
  );
  return (
    <Page
      title="Costs"
      intro={`${mode === "test" ? "Test messages are free. This is what they would cost" : "What WhatsApp charges for, as its webhooks report it"}, by the day a message was created. Counted within a minute; days are those of ${timeZone}.`}
      actions={
        <ButtonLink look="secondary" href="/dashboard/usage/rate-card">
          Rate card & budget
        </ButtonLink>
      }
      mode={mode}
      lists={lists}
    >
      <UsageTabs current="costs" />
      <UsageFilterFields
        path={PATH}
        mode={mode}
        filters={filters.range === "dates" ? { ...filters, from: period.first, to: period.last } : filters}
        ranges={{ options: costRanges(now, timeZone), standard: DEFAULT_COST_RANGE }}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
        {report.costs.total.messages + before.total.messages === 0 ? null : (
          <CostFigure report={report} period={period} before={before} budget={budget} mode={mode} />
        )}
        {report.costs.total.messages === 0 ? (
          <NoPricing words={period.words} hasToday={period.last === localDay(now, timeZone)} />
        ) : (
          <CostTables report={report} scope={scope} filters={filters} mode={mode} />
        )}
      </div>
    </Page>
  );
}

function NoPricing({ words, hasToday }: { words: string; hasToday: boolean }) {
  return (
    <EmptyState title="No pricing in this range">
      No message of {words} has a price from WhatsApp, which comes with its first status. Choose another range
      {hasToday ? (
        <>
          , or <TextLink href="/dashboard/send">send a message</TextLink>
        </>
      ) : null}
      .
    </EmptyState>
  );
}

type TablesProps = { report: CostReport; scope: CostScope; filters: CostFilters; mode: Mode };

function CostTables({ report, scope, filters, mode }: TablesProps) {
  const { workspaceId, workspace } = pageMember();
  const { timeZone } = workspace;
  const { costs, currency } = report;
  const buckets = costBucketsOf(scope);
  const views = [
    ...(currency === undefined ? [] : [{ view: "chart", word: "Money" }]),
    { view: "messages", word: "Messages" },
    { view: "table", word: "Table" },
  ];
  const current = views.some(({ view }) => view === filters.view) ? filters.view : "messages";
  const tabs = views.map(({ view, word }) => ({
    href: withQuery(PATH, { ...filters, view }),
    word,
    isCurrent: view === current,
  }));
  const csv = (file: Record<string, string>) =>
    withQuery(`/api/v1/workspaces/${workspaceId}/costs`, { ...filters, view: undefined, ...file, mode });
  return (
    <>
      <CostSection of="time" title={`By ${scope.by}`} csv={csv}>
        <Tabs label="How the numbers are shown" tabs={tabs} />
        {current === "table" ? <CostTable of="time" report={report} /> : null}
        {current === "messages" ? <MessagesChart costs={costs} buckets={buckets} timeZone={timeZone} /> : null}
        {current === "chart" && currency !== undefined ? (
          <MoneyChart costs={costs} buckets={buckets} timeZone={timeZone} currency={currency} />
        ) : null}
      </CostSection>
      {(["country", "category", "line", "template", "key"] as const).map((of) =>
        report.tables[of] ? (
          <CostSection key={of} of={of} title={`By ${of}`} csv={csv}>
            <CostTable of={of} report={report} />
          </CostSection>
        ) : null,
      )}
      {report.card ? <LeftOut /> : null}
    </>
  );
}

/** What the estimate leaves out, whatever the rate card has. */
function LeftOut() {
  return (
    <Section title="What the estimate leaves out">
      <ul className="list-disc ps-5 text-muted">
        <li>
          Volume tiers: WhatsApp lowers the price of utility and authentication messages as a month’s volume grows.
        </li>
        <li>Monthly free messages that WhatsApp grants later, taxes, and fees of a partner.</li>
        <li>Messages whose pricing WhatsApp has not reported, as of most that failed: no table or file counts them.</li>
      </ul>
    </Section>
  );
}
