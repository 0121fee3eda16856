import type { ComponentProps } from "react";
import { ButtonLink, CsvLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { Tabs } from "@/app/_components/list-links";
import { EmptyState, Notice, Section } from "@/app/_components/panels";
import { listReader } from "@/db/read-lists";
import { listKeys } from "@/lib/api-keys/queries";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import { countryName } from "@/lib/core/country-name";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber } from "@/lib/core/text";
import type { CostCounts } from "@/lib/costs/cost-counts";
import {
  COST_RANGE_LABELS,
  costBucketsOf,
  costScopeOf,
  DEFAULT_COST_RANGE,
  readCostFilters,
} from "@/lib/costs/cost-range";
import { findRateCard, listCosts } from "@/lib/costs/queries";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { Page } from "../../_components/page-frame";
import { UsageFilterFields, UsageTabs } from "../../_overview/usage-tiles";
import { BudgetUse, CostChart, CostTable, Money } from "./cost-parts";

export const metadata = { title: "Costs · Usage" };

const PATH = "/dashboard/usage/costs";

export default async function CostsPage({ searchParams }: PageProps<"/dashboard/usage/costs">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const filters = readCostFilters(await searchParams, member.role);
  const now = new Date();
  const buckets = costBucketsOf(filters.range, now, timeZone);
  const scope = costScopeOf(filters, { mode, timeZone, now, buckets });
  const lists = listReader(member);
  const [totals, series, missing, categories, countries, lines, templates, keys] = await lists.read(() =>
    Promise.all([
      listCosts(workspaceId, scope, "total"),
      listCosts(workspaceId, scope, filters.range === "12m" ? "month" : "day"),
      listCosts(workspaceId, scope, "unpriced"),
      listCosts(workspaceId, scope, "category"),
      listCosts(workspaceId, scope, "country"),
      listCosts(workspaceId, scope, "line"),
      listCosts(workspaceId, scope, "template"),
      may("seeApiKeys") ? listCosts(workspaceId, scope, "key") : undefined,
    ]),
  );
  const [card, allLines, allKeys] = await Promise.all([
    findRateCard(workspaceId),
    listAllLines(workspaceId),
    keys ? listKeys(workspaceId) : [],
  ]);
  const labels = new Map(allLines.map(({ id, label }) => [id, label]));
  const keyLabels = new Map(allKeys.map(({ id, label, apiKey }) => [id, label || apiKey]));
  const [total] = totals;
  const hasCard = card !== undefined;
  return (
    <Page
      title="Costs"
      intro={`What WhatsApp charges for, as its webhooks report it, by the day a message was created. Counted within a minute; days are those of ${timeZone}.`}
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
        filters={filters}
        ranges={{ words: COST_RANGE_LABELS, standard: DEFAULT_COST_RANGE }}
      />
      {total === undefined ? (
        <NoPricing />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
          {mode === "live" && card ? <BudgetUse card={card} workspaceId={workspaceId} /> : null}
          <Priced
            total={total}
            buckets={buckets}
            series={series}
            filters={filters}
            mode={mode}
            timeZone={timeZone}
            workspaceId={workspaceId}
            hasCard={hasCard}
          />
          <Unknown hasCard={hasCard} missing={missing} />
          <CostTable of="category" rows={categories} hasCard={hasCard} />
          <CostTable of="country" rows={countries} hasCard={hasCard} nameOf={countryName} unnamed="Unknown country" />
          <CostTable of="line" rows={lines} hasCard={hasCard} nameOf={(id) => labels.get(id) ?? id} />
          <CostTable of="template" rows={templates} hasCard={hasCard} unnamed="No template" />
          {keys ? (
            <CostTable
              of="key"
              rows={keys}
              hasCard={hasCard}
              nameOf={(id) => keyLabels.get(id) ?? id}
              unnamed="The dashboard"
            />
          ) : null}
        </div>
      )}
    </Page>
  );
}

function NoPricing() {
  return (
    <EmptyState title="No pricing in this range">
      WhatsApp reports the pricing of a message with its first status. Choose a longer range, or{" "}
      <TextLink href="/dashboard/send">send a message</TextLink>.
    </EmptyState>
  );
}

type PricedProps = Pick<ComponentProps<typeof CostChart>, "buckets" | "series" | "timeZone" | "hasCard"> & {
  total: CostCounts;
  filters: ReturnType<typeof readCostFilters>;
  mode: Mode;
  workspaceId: string;
};

function Priced({ total, filters, mode, workspaceId, ...chart }: PricedProps) {
  const href = (view: string) => withQuery(PATH, { ...filters, view });
  return (
    <Section
      title={`Messages with pricing, ${COST_RANGE_LABELS[filters.range].toLowerCase()}`}
      aside={<CsvLink href={withQuery(`/api/v1/workspaces/${workspaceId}/costs`, { ...filters, mode })} />}
    >
      <p className="mb-4">
        {chart.hasCard ? (
          <>
            Estimated cost: <Money counts={total} />
          </>
        ) : (
          "Estimated cost: unknown without a rate card."
        )}
      </p>
      <Tabs
        label="How the numbers are shown"
        tabs={[
          { href: href("chart"), word: "Chart", isCurrent: filters.view === "chart" },
          { href: href("table"), word: "Table", isCurrent: filters.view === "table" },
        ]}
      />
      <CostChart {...chart} view={filters.view} />
    </Section>
  );
}

const SHOWN = 8;

/** What the estimate leaves out. */
function Unknown({ hasCard, missing }: { hasCard: boolean; missing: CostCounts[] }) {
  if (!hasCard)
    return (
      <Notice action={<TextLink href="/dashboard/usage/rate-card">Upload a rate card</TextLink>}>
        WhatsApp’s webhooks name no amounts. Upload the prices of your account to see estimated costs.
      </Notice>
    );
  const without = missing
    .filter(({ unpriced }) => unpriced > 0)
    .toSorted((one, other) => other.unpriced - one.unpriced)
    .map(({ id, unpriced }) => `${nameOf(id)} (${formatNumber(unpriced)})`);
  const more = without.length - SHOWN;
  return (
    <Section title="What the estimate leaves out">
      <ul className="list-disc ps-5 text-muted">
        {without.length > 0 ? (
          <li>
            Billable messages without a price in the rate card: {without.slice(0, SHOWN).join(", ")}
            {more > 0 ? `, and ${formatNumber(more)} more` : ""}.
          </li>
        ) : null}
        <li>
          Volume tiers: WhatsApp lowers the price of utility and authentication messages as a month’s volume grows.
        </li>
        <li>Monthly free messages that WhatsApp grants later, taxes, and fees of a partner.</li>
        <li>Messages whose pricing WhatsApp has not reported.</li>
      </ul>
    </Section>
  );
}

/** `BR utility`, as the counts name a country and a category. */
function nameOf(id: string): string {
  const [country = "", ...category] = id.split(" ");
  return `${country === "" ? "unknown country" : countryName(country)} ${category.join(" ")}`;
}
