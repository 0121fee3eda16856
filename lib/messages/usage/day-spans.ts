import { daysBetween, localDay } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";

/** A sum of quarters: a local day, or what a change of time zone left of one. From `startsAt` on, before `endsAt`. */
export type DaySpan = { workspaceId: string; mode: Mode; startsAt: Date; endsAt: Date };

/** Returns the local days that a span lies in. */
export function localDaysOf({ startsAt, endsAt, ...of }: DaySpan, timeZone: string): DaySpan[] {
  const last = new Date(endsAt.getTime() - 1);
  const days = daysBetween(localDay(startsAt, timeZone), localDay(last, timeZone), timeZone);
  return days.flatMap(({ since, until }) => (since < until ? [{ ...of, startsAt: since, endsAt: until }] : []));
}

/**
 * Returns the spans to sum once `days` are counted: the days, and what they leave of the spans that they overlap. Neither list
 * overlaps in itself, nor does the result, and it covers what they covered together.
 */
export function spansAfter(existing: readonly DaySpan[], days: readonly DaySpan[]): DaySpan[] {
  const rest = days.reduce<readonly DaySpan[]>((left, day) => left.flatMap((span) => without(span, day)), existing);
  return [...days, ...rest];
}

function without(span: DaySpan, day: DaySpan): DaySpan[] {
  const isOther = span.workspaceId !== day.workspaceId || span.mode !== day.mode;
  if (isOther || span.endsAt <= day.startsAt || span.startsAt >= day.endsAt) return [span];
  const before = { ...span, endsAt: day.startsAt };
  const after = { ...span, startsAt: day.endsAt };
  return [before, after].filter(({ startsAt, endsAt }) => startsAt < endsAt);
}
