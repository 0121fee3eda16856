const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** `4 minutes ago`; below a minute, and for clocks that differ, `just now`. */
export function timeAgo(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const [unit, unitMs] = UNITS.find(([, least]) => ms >= least) ?? [];
  if (!unit || !unitMs) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(-Math.floor(ms / unitMs), unit);
}
