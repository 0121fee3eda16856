import { TextLink } from "@/app/_components/link";
import { Notice, Section, UsageBar } from "@/app/_components/panels";
import { may } from "@/lib/auth/page-member";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber } from "@/lib/core/text";
import { budgetMark, usedPercent } from "@/lib/costs/budget";
import { amountIn, type Costs, spentUntil } from "@/lib/costs/cost-counts";
import type { CostPeriod, Period } from "@/lib/costs/cost-range";
import { comparedWith, formatMoney } from "@/lib/costs/money";
import type { BudgetUse } from "@/lib/costs/queries";
import { type CostReport, unpricedMarkets } from "@/lib/costs/report-queries";

type Props = {
  report: CostReport;
  period: CostPeriod;
  /** The costs of the period before, the whole month if this one is not over. */
  before: Costs;
  budget: BudgetUse | undefined;
  mode: Mode;
};

/** What the period costs, as one large figure, against the budget and the period before. */
export function CostFigure({ report: { costs, card, currency }, period, before, budget, mode }: Props) {
  const { total } = costs;
  if (!card || currency === undefined)
    return (
      <Section title={titleOf(period)}>
        <p className="text-xl font-bold tabular-nums">{`${formatNumber(total.billable)} billable messages`}</p>
        <Notice className="mt-3" action={<TextLink href="/dashboard/usage/rate-card">Upload a rate card</TextLink>}>
          Estimated cost: unknown without a rate card. WhatsApp’s webhooks name no amounts.
        </Notice>
      </Section>
    );
  const amount = amountIn(total.costs, currency);
  const others = total.costs.filter((cost) => cost.currency !== currency).map(formatMoney);
  return (
    <Section title={titleOf(period)} className="grid gap-3">
      <div>
        <p className="text-sm text-muted">{mode === "test" ? "If they were live messages" : "Estimated cost"}</p>
        <p className="text-xl font-bold tabular-nums">{formatMoney({ currency, amount })}</p>
        {others.length > 0 ? <p className="font-medium tabular-nums">{`and ${others.join(" and ")}`}</p> : null}
        {total.unpriced > 0 ? <WithoutPrice costs={costs} from={period.first} /> : null}
        <p className="mt-1 text-muted">{comparison({ currency, amount }, before, period)}</p>
      </div>
      {budget ? <BudgetBar {...budget} /> : null}
    </Section>
  );
}

const SHOWN = 5;

/** What the amount above is without, and for owners the way to give it a price. */
function WithoutPrice({ costs, from }: { costs: Costs; from: string }) {
  const missing = unpricedMarkets(costs);
  return (
    <div className="mt-1 font-medium text-caution">
      <p>{`and ${messagesInWords(costs.total.unpriced)} without a price:`}</p>
      <ul className="list-disc ps-5 text-sm font-normal">
        {missing.slice(0, SHOWN).map(({ country, category, unpriced, words }) => (
          <li key={words}>
            {`${words} (${formatNumber(unpriced)})`}
            {country !== "" && may("manageCosts") ? (
              <>
                :{" "}
                <TextLink href={withQuery("/dashboard/usage/rate-card", { country, category, from })}>
                  add a price
                </TextLink>
              </>
            ) : null}
          </li>
        ))}
        {missing.length > SHOWN ? <li>and {formatNumber(missing.length - SHOWN)} more</li> : null}
      </ul>
    </div>
  );
}

const messagesInWords = (count: number): string => `${formatNumber(count)} ${count === 1 ? "message" : "messages"}`;

const titleOf = ({ words }: Period): string => words.replace(/^./, (letter) => letter.toUpperCase());

function comparison(
  { currency, amount }: { currency: string; amount: string },
  costs: Costs,
  period: CostPeriod,
): string {
  const { before, wholeBefore } = period;
  const spent = spentUntil(costs, before.last, currency);
  const money = (of: string) => formatMoney({ currency, amount: of });
  const compared = comparedWith(amount, spent);
  const first = compared ? `${compared} ${before.words} (${money(spent)}).` : `No cost in ${before.words}.`;
  const whole = wholeBefore ? ` All of ${wholeBefore.words}: ${money(amountIn(costs.total.costs, currency))}.` : "";
  const { unpriced } = costs.total;
  const missing =
    unpriced > 0 ? ` Without a price in ${(wholeBefore ?? before).words}: ${messagesInWords(unpriced)}.` : "";
  return `${first.replace(/^./, (letter) => letter.toUpperCase())}${whole}${missing}`;
}

/** How much of the month's budget the live messages are estimated to cost, and a warning from 80 % on. */
function BudgetBar({ budget, currency, spent }: BudgetUse) {
  const mark = budgetMark({ spent, limit: budget });
  const amounts = `${formatMoney({ currency, amount: spent })} of ${formatMoney({ currency, amount: budget })}`;
  const text = `${amounts} of this month’s budget, as estimated. Messages without a price and amounts in other currencies are not part of it.`;
  if (mark)
    return (
      <Notice
        tone={mark === 100 ? "bad" : "caution"}
        action={<TextLink href="/dashboard/usage/rate-card">Change the budget</TextLink>}
      >
        {text}
      </Notice>
    );
  return (
    <div className="max-w-xl">
      <p className="mb-1.5">{text}</p>
      <UsageBar
        used={usedPercent({ spent, limit: budget })}
        limit={100}
        label="Share of the budget that is used, as estimated"
      />
    </div>
  );
}
