import { processWide } from "./process-wide";

const listener = processWide("events-written", () => ({ wake: () => {} }));

/** Calls `wake` whenever this process has written statuses, which may be events for partners' endpoints. */
export function onEvents(wake: () => void): void {
  listener.wake = wake;
}

/** Statuses are committed. Other processes find their events when they look next. */
export function eventsWritten(): void {
  listener.wake();
}
