import { z } from "zod";
import { CodeBlock } from "@/app/_components/code-block";
import { ConfirmAction } from "@/app/_components/dialog";
import { ActionForm, Field, Select, SubmitButton } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Card, DataTable, SideBySide } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { CardRow } from "@/db/schema";
import { requireMember } from "@/lib/auth/page-member";
import { Day, matching } from "@/lib/core/list-filters";
import { addDays, localDay } from "@/lib/core/local-time";
import { formatNumber, listSome } from "@/lib/core/text";
import { formatMoney } from "@/lib/costs/money";
import { findRateCard, listRates, type PriceList, type RateCardFacts } from "@/lib/costs/queries";
import { MAX_CARD_CHARACTERS } from "@/lib/costs/rate-card";
import { currencyOf } from "@/lib/costs/report-queries";
import { Allowed, Page } from "../../_components/page-frame";
import { deleteRateCard, saveBudget } from "./actions";
import { AddPrice } from "./add-price";
import { Changes, dayWords, Prices } from "./prices";
import { UploadCard } from "./upload-card";

export const metadata = { title: "Rate card & budget · Usage" };

const EXAMPLE = `Cost per message in USD, effective October 1, 2026
Market,Currency,Marketing,Utility,Authentication,Authentication-International
Brazil,$US,0.0611,0.0066,0.0066,n/a
Germany,$US,0.1355,0.0544,0.0544,n/a
India,$US,0.0117,0.0013,0.0013,0.0270
Rest of Africa,$US,0.0224,0.0041,0.0041,n/a
Other,$US,0.0603,0.0076,0.0076,n/a`;

const Query = z.object({
  country: matching(/^[A-Z]{2}$/),
  category: matching(/^[a-z][a-z0-9_]{0,59}$/),
  from: Day,
});

export default async function RateCardPage({ searchParams }: PageProps<"/dashboard/usage/rate-card">) {
  const { workspaceId, workspace } = await requireMember();
  const today = localDay(new Date(), workspace.timeZone);
  const { from = `${today.slice(0, -2)}01`, ...missing } = Query.parse(await searchParams);
  const [card, rates] = await Promise.all([findRateCard(workspaceId), listRates(workspaceId, today)]);
  return (
    <Page
      title="Rate card & budget"
      intro="The prices that your costs are estimated with, and the amount of a month that you want to be warned of."
      back={{ href: "/dashboard/usage/costs", word: "Costs" }}
    >
      <SideBySide columns="@min-[60rem]:grid-cols-2">
        <div className="grid min-w-0 content-start gap-6">
          <Card title="Rate card">
            {card ? <CardFacts card={card} /> : <p className="mb-4 text-muted">None yet. Upload one to see costs.</p>}
            <Allowed to="manageCosts">
              <UploadCard maxCharacters={MAX_CARD_CHARACTERS} />
            </Allowed>
            {card?.rows ? <CardRows rows={card.rows} /> : null}
            {card ? (
              <div className="mt-4">
                <Allowed to="manageCosts" step="Remove rate card">
                  <ConfirmAction
                    action={deleteRateCard}
                    opener="Remove rate card"
                    title="Remove the rate card?"
                    confirm="Remove rate card"
                    busy="Removing…"
                  >
                    All prices and the budget are removed. Counts of messages stay.
                  </ConfirmAction>
                </Allowed>
              </div>
            ) : null}
          </Card>
        </div>
        <div className="grid min-w-0 content-start gap-6">
          {card ? <BudgetCard card={card} today={today} /> : null}
          <AddPrice missing={{ ...missing, from }} currency={card ? currencyOf(card, today) : undefined} />
          <CodeBlock label="Example" code={EXAMPLE} />
          <p className="text-muted">
            Upload WhatsApp’s price list in your account’s currency as it is: the prices of the example are made up. A
            table with a row for each price is read, too. Other is every country without a row. A country’s own row
            takes precedence over its region’s, and a territory without one takes the price of the country whose calling
            code it shares. <TextLink href="/docs/costs">How costs are estimated</TextLink>
          </p>
        </div>
      </SideBySide>
      <div className="mt-8 grid grid-cols-[minmax(0,1fr)] gap-8">
        {card?.changes ? <Changes changes={card.changes} /> : null}
        <Prices rates={rates} />
      </div>
    </Page>
  );
}

/** Of more lists than anyone looks at. */
const MAX_SHOWN = 12;

function CardFacts({ card }: { card: RateCardFacts }) {
  return (
    <div className="mb-6 grid gap-3">
      <DataTable
        caption="Prices by the day from which they are valid"
        rows={card.lists.slice(0, MAX_SHOWN)}
        rowKey={({ from, until }) => `${from} ${until}`}
        columns={{
          "Valid from": ({ from }) => dayWords(from),
          Until: ({ until }) => (until === null ? "–" : addDays(until, -1)),
          Prices: ({ prices, countries }) =>
            `${formatNumber(prices)}, for ${formatNumber(countries)} ${countries === 1 ? "country" : "countries"}`,
          Currencies: ({ currencies }) => listSome(currencies),
        }}
      />
      <p className="text-sm text-muted">
        Uploaded <Timestamp at={card.uploadedAt} />
      </p>
    </div>
  );
}

function CardRows({ rows }: { rows: CardRow[] }) {
  return (
    <details className="mt-6 grid gap-3">
      <summary className="font-semibold">Rows of the last upload</summary>
      <DataTable
        caption="What each row was read as"
        rows={rows}
        rowKey={({ row }) => `${row}`}
        columns={{
          Row: { className: "sm:w-16", cell: ({ row }) => row },
          Market: { className: "sm:w-40", cell: ({ given }) => <span className="wrap-anywhere">{given}</span> },
          "Read as": ({ isRead, outcome }) => (isRead ? outcome : <Muted>Left out. {outcome}</Muted>),
        }}
      />
    </details>
  );
}

function BudgetCard({ card, today }: { card: RateCardFacts; today: string }) {
  const { budget, budgetCurrency, lists } = card;
  const isLater = ({ until }: PriceList) => until === null || until > today;
  const currencies = [...new Set(lists.filter(isLater).flatMap((list) => list.currencies))].toSorted();
  const current = budget && budgetCurrency ? formatMoney({ amount: budget, currency: budgetCurrency }) : "No budget";
  const options = [...new Set([...(budgetCurrency ? [budgetCurrency] : []), ...currencies])];
  return (
    <Card title="Monthly budget">
      <p className="mb-4 text-muted">
        Now: {current}. An alert is opened when the live messages of a calendar month are estimated to cost 80 and 100 %
        of it. Sends continue.
      </p>
      <Allowed to="manageCosts">
        <ActionForm action={saveBudget} done="Saved.">
          <Field
            key={budget}
            label="Amount"
            name="budget"
            inputMode="decimal"
            defaultValue={budget ?? ""}
            hint="Empty: no budget."
          />
          <Select
            key={budgetCurrency}
            label="Currency"
            name="budgetCurrency"
            defaultValue={budgetCurrency ?? options[0]}
            options={options.map((currency) => ({ value: currency, word: currency }))}
          />
          <SubmitButton className="justify-self-start">Save budget</SubmitButton>
        </ActionForm>
      </Allowed>
    </Card>
  );
}
