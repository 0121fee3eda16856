import { formatNumber, sentenceCase } from "@/lib/core/text";

/** Display names for WhatsApp's values of a number; unknown values are shown unchanged. */

export function qualityWord(rating: string | null): string | null {
  return (
    rating &&
    ({ GREEN: "High", YELLOW: "Medium", RED: "Low", NA: "Not rated yet", UNKNOWN: "Not rated yet" }[rating] ??
      sentenceCase(rating))
  );
}

/** `TIER_2K`: how many people a day the number's portfolio may message first; null if any number, or not known. */
export function peopleOf(tier: string | null): number | null {
  const [, amount, thousands] = /^TIER_(\d{1,9})(K?)$/.exec(tier ?? "") ?? [];
  return amount === undefined ? null : Number(amount) * (thousands ? 1_000 : 1);
}

/** The same in words. */
export function limitWord(tier: string | null): string | null {
  if (tier === null) return null;
  if (tier === "TIER_UNLIMITED") return "Any number of people a day";
  const people = peopleOf(tier);
  return people === null ? sentenceCase(tier) : `${formatNumber(people)} people a day`;
}

export function throughputWord(level: string | null): string | null {
  return (
    level &&
    ({ STANDARD: "80 messages a second", HIGH: "1,000 messages a second", NOT_APPLICABLE: "Not known" }[level] ??
      sentenceCase(level))
  );
}
