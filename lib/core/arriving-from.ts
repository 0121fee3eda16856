import { ArrivingBytes } from "./arriving-bytes";
import { processWide } from "./process-wide";

/** Who sends the bodies: each kind has room of its own, so that a flood of one keeps no other from being read. */
export type Sender = "webhooks" | "calls" | "strangers" | "forms" | "sandbox";

/** What each kind may have on its way, in each process: thousands of usual bodies, or eight of the largest webhooks. */
const CAPACITY_BYTES = 32 * 1_024 * 1_024;

export function arrivingFrom(sender: Sender): ArrivingBytes {
  return processWide(`arriving-${sender}`, () => new ArrivingBytes(CAPACITY_BYTES));
}
