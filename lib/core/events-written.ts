import { processWide } from "./process-wide";

// In development the start, which delivers, and the routes are two bundles of one process.
const listener = processWide("events-written", () => ({ wake: () => {} }));

/** Calls `wake` whenever this process has written statuses, which may be events for partners' endpoints. */
export function onEvents(wake: () => void): void {
  listener.wake = wake;
}

/** Announces that statuses were committed. Other processes find the events at their next poll. */
export function eventsWritten(): void {
  listener.wake();
}
