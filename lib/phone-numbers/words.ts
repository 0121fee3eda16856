import { formatNumber, sentenceCase } from "@/lib/core/text";

/** Display names for WhatsApp's values of a number; unknown values are shown unchanged. */

export function qualityWord(rating: string | null): string | null {
  return (
    rating &&
    ({ GREEN: "High", YELLOW: "Medium", RED: "Low", NA: "Not rated yet", UNKNOWN: "Not rated yet" }[rating] ??
      sentenceCase(rating))
  );
}

/** `TIER_2K`: how many people a day the number may message first. */
export function limitWord(tier: string | null): string | null {
  if (tier === null) return null;
  if (tier === "TIER_UNLIMITED") return "Any number of people a day";
  const [, amount, thousands] = /^TIER_(\d+)(K?)$/.exec(tier) ?? [];
  if (!amount) return sentenceCase(tier);
  const people = Number(amount) * (thousands ? 1_000 : 1);
  return `${formatNumber(people)} people a day`;
}

export function throughputWord(level: string | null): string | null {
  return (
    level &&
    ({ STANDARD: "80 messages a second", HIGH: "1,000 messages a second", NOT_APPLICABLE: "Not known" }[level] ??
      sentenceCase(level))
  );
}
