import type { PhoneNumber, templateReads } from "@/db/schema";
import { formatNumber } from "@/lib/core/text";
import type { Notice } from "./notices";
import { peopleOf } from "./words";

/** What is stored of a business account beside its lines. */
export type Account = Pick<
  typeof templateReads.$inferSelect,
  "whatsappBusinessAccountId" | "portfolioId" | "portfolioName" | "peopleBegun"
>;

type Line = Pick<PhoneNumber, "label" | "whatsappBusinessAccountId" | "messagingLimit" | "tokenCheckedAt"> & {
  notices: readonly Notice[];
};

/** A business portfolio, and how much of WhatsApp's limit its lines have used in the last 24 hours. */
export type Portfolio = {
  /** WhatsApp's id of the portfolio, or of the account if the portfolio is not readable. */
  id: string;
  name: string;
  lines: string[];
  /** WhatsApp's word; null if it is not known. */
  tier: string | null;
  /** The most people; null if there is no limit, or it is not known. */
  limit: number | null;
  people: number;
};

/** Groups live lines by the portfolio of their account. The limit is the one that WhatsApp reported last of any of them. */
export function portfoliosOf(lines: readonly Line[], accounts: readonly Account[]): Portfolio[] {
  const groups = new Map<string, { account: Account | undefined; lines: Line[]; people: number }>();
  for (const line of lines) {
    const account = accounts.find((one) => one.whatsappBusinessAccountId === line.whatsappBusinessAccountId);
    const id = account?.portfolioId ?? line.whatsappBusinessAccountId;
    const group = groups.get(id) ?? { account, lines: [], people: 0 };
    group.lines.push(line);
    group.people = Math.max(group.people, account?.peopleBegun ?? 0);
    groups.set(id, group);
  }
  return [...groups].map(([id, { account, lines: own, people }]) => {
    const tier = latestTier(own);
    const name = account?.portfolioName ?? `${account?.portfolioId ? "Portfolio" : "Account"} ${id}`;
    return { id, name, lines: own.map(({ label }) => label), tier, limit: peopleOf(tier), people };
  });
}

function latestTier(lines: readonly Line[]): string | null {
  const known = lines.filter(({ messagingLimit }) => messagingLimit !== null);
  // Of two at once the lower: a warning too early is better than none.
  const [newest] = known.toSorted((a, b) => reportedMs(b) - reportedMs(a) || amountOf(a) - amountOf(b));
  return newest?.messagingLimit ?? null;
}

const amountOf = ({ messagingLimit }: Line): number => peopleOf(messagingLimit) ?? Number.POSITIVE_INFINITY;

const reportedMs = ({ tokenCheckedAt, notices }: Line): number =>
  Math.max(
    tokenCheckedAt?.getTime() ?? 0,
    ...notices.flatMap(({ detail, occurredAt }) => (detail.limit ? [occurredAt.getTime()] : [])),
  );

/** How much of the limit is used, as the marks that are announced. */
export function markOf({ people, limit }: Pick<Portfolio, "people" | "limit">): 80 | 100 | undefined {
  if (limit === null) return undefined;
  if (people >= limit) return 100;
  return people * 100 >= limit * 80 ? 80 : undefined;
}

/** `1,640 of 2,000 people`. */
export function usedPeople({ people, limit }: Pick<Portfolio, "people" | "limit">): string {
  return limit === null ? `${formatNumber(people)} people` : `${formatNumber(people)} of ${formatNumber(limit)} people`;
}
