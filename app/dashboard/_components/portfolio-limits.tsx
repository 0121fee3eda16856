import { UsageBar } from "@/app/_components/panels";
import { listSome } from "@/lib/core/text";
import { type Portfolio, usedPeople } from "@/lib/phone-numbers/portfolios";
import { limitWord } from "@/lib/phone-numbers/words";

/** WhatsApp's limit on first messages, once per business portfolio, with how much of it was used. */
export function PortfolioLimits({ portfolios }: { portfolios: readonly Portfolio[] }) {
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {portfolios.map((portfolio) => (
        <li key={portfolio.id}>
          <p className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="min-w-0 break-words">{portfolio.name}</span>
            <span className="tabular-nums">
              {portfolio.limit === null
                ? (limitWord(portfolio.tier) ?? "Limit not known yet")
                : `${usedPeople(portfolio)} in 24 hours`}
            </span>
          </p>
          {portfolio.limit === null ? null : (
            <UsageBar
              used={portfolio.people}
              limit={portfolio.limit}
              label={`People whom ${portfolio.name} messaged first in the last 24 hours`}
            />
          )}
          <p className="mt-1 text-sm text-muted">Lines: {listSome(portfolio.lines)}</p>
        </li>
      ))}
    </ul>
  );
}

export const LIMIT_NOTE =
  "How many different people a business portfolio may message first in 24 hours. Messages within 24 hours of a person’s own do not count. What other workspaces or systems send is not counted here.";
