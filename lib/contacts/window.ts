/** WhatsApp allows free text for this long after the person wrote. */
const WINDOW_MS = 24 * 60 * 60 * 1_000;

/** Returns how long free text is still allowed; 0 if only templates are. */
export function windowLeftMs(lastInboundAt: Date | null, now: Date): number {
  return lastInboundAt === null ? 0 : Math.max(0, lastInboundAt.getTime() + WINDOW_MS - now.getTime());
}

/** The part of the window that is left, from 0 to 1. */
export function windowShare(leftMs: number): number {
  return Math.min(1, leftMs / WINDOW_MS);
}
