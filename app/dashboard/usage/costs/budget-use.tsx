import { TextLink } from "@/app/_components/link";
import { Notice, UsageBar } from "@/app/_components/panels";
import type { WorkspaceId } from "@/lib/core/principal";
import { budgetMark } from "@/lib/costs/budget";
import { formatMoney } from "@/lib/costs/cost-counts";
import { findBudget, type RateCardFacts } from "@/lib/costs/queries";

type Props = { card: RateCardFacts; workspaceId: WorkspaceId };

/** How much of the month's budget the live messages are estimated to cost, and a warning from 80 % on. */
export async function BudgetUse({ card, workspaceId }: Props) {
  const use = card.budget === null ? undefined : await findBudget(workspaceId);
  if (!use) return null;
  const { budget, currency, spent } = use;
  const [used, limit] = [Number(spent), Number(budget)];
  const mark = budgetMark({ spent: used, limit });
  const amounts = `${formatMoney({ currency, amount: spent })} of ${formatMoney({ currency, amount: budget })}`;
  const text = `${amounts} of this month’s budget, as estimated. Amounts in other currencies are not part of it.`;
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
      <UsageBar used={used} limit={limit} label="Share of the budget that is used, as estimated" />
    </div>
  );
}
