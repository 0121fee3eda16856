/** What of a call's duration was spent elsewhere. */
export type Timing = { platformMs?: number };

/** `app;dur=3.2, platform;dur=180`: ours and WhatsApp's share of a call, in milliseconds. */
export function serverTiming(durationMs: number, { platformMs }: Timing): string {
  const ours = Math.max(0, durationMs - (platformMs ?? 0));
  const platform = platformMs === undefined ? "" : `, platform;dur=${platformMs}`;
  return `app;dur=${ours.toFixed(1)}${platform}`;
}
