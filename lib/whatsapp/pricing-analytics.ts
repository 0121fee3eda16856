import { z } from "zod";
import { askGraph, type WhatsappLine } from "./client";
import type { GraphFailure } from "./errors";
import { wordOf } from "./wire";

/** What WhatsApp counted in one day (UTC) of an account; words in lower case, countries in upper case, empty if missing. */
export type ReportedDay = {
  day: string;
  country: string;
  category: string;
  type: string;
  volume: number;
  /** In decimal digits, in the account's currency; null if missing. */
  cost: string | null;
};

export type PricingReport = { outcome: "ok"; currency: string | null; days: ReportedDay[] };

const TIMEOUT_MS = 10_000;
const MAX_VOLUME = 2_000_000_000;

const Point = z.object({
  start: z.number().int().positive(),
  country: z.unknown(),
  pricing_category: z.unknown(),
  pricing_type: z.unknown(),
  volume: z.number().int().nonnegative().max(MAX_VOLUME),
  cost: z.number().nonnegative().max(MAX_VOLUME).nullish().catch(null),
});

const Answer = z.object({
  currency: z.string().nullish().catch(null),
  pricing_analytics: z.object({ data: z.array(z.object({ data_points: z.array(z.unknown()).nullish() })) }).nullish(),
});

/** Reads the volume and cost of a line's whole business account by day, from `from` until before `until`. */
export async function readPricing(
  line: WhatsappLine,
  { from, until }: { from: Date; until: Date },
): Promise<PricingReport | GraphFailure> {
  const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
  const dimensions = JSON.stringify(["PRICING_CATEGORY", "PRICING_TYPE", "COUNTRY"]);
  const fields = `currency,pricing_analytics.start(${seconds(from)}).end(${seconds(until)}).granularity(DAILY).dimensions(${dimensions})`;
  const path = `/${encodeURIComponent(line.whatsappBusinessAccountId)}`;
  const result = await askGraph(line, { method: "GET", path, query: { fields }, timeoutMs: TIMEOUT_MS }, Answer);
  if (result.outcome === "failed") return result;
  const { currency, pricing_analytics } = result.answer;
  const points = (pricing_analytics?.data ?? []).flatMap(({ data_points }) => data_points ?? []);
  return { outcome: "ok", currency: /^[A-Z]{3}$/.exec(currency ?? "")?.[0] ?? null, days: toDays(points) };
}

/** Adds up the points of one day, such as of several volume tiers; unreadable points are left out. */
const toDays = (points: readonly unknown[]): ReportedDay[] => {
  const days = new Map<string, ReportedDay & { sum: number }>();
  for (const point of points) {
    const { data } = Point.safeParse(point);
    if (!data) continue;
    const day = new Date(data.start * 1_000).toISOString().slice(0, "2026-01-15".length);
    const [country, category, type] = [
      (wordOf(data.country) ?? "").toUpperCase(),
      (wordOf(data.pricing_category) ?? "").toLowerCase(),
      (wordOf(data.pricing_type) ?? "").toLowerCase(),
    ];
    const key = JSON.stringify([day, country, category, type]);
    const known = days.get(key) ?? { day, country, category, type, volume: 0, cost: null, sum: 0 };
    const volume = Math.min(known.volume + data.volume, MAX_VOLUME);
    const sum = known.sum + (data.cost ?? 0);
    days.set(key, { ...known, volume, sum, cost: data.cost == null ? known.cost : sum.toFixed(COST_DIGITS) });
  }
  return [...days.values()].map(({ sum: _, ...day }) => day);
};

const COST_DIGITS = 8;
