import { setTimeout as sleep } from "node:timers/promises";
import { errorFields, log } from "@/lib/core/log";
import { keepFunctionAlive } from "@/lib/core/process-wide";
import { claimDueRead } from "@/lib/phone-numbers/queue-reads";
import { readAccount } from "./sync-templates";

/** Readers per process. Each reads one account at a time, and only one account per workspace is read at once. */
const MAX_READERS = 4;
/** WhatsApp reports approvals in bursts: one read serves all of a burst. */
const BURST_MS = 500;

const running = new Set<Promise<void>>();
let wakes = 0;

/** Starts reading newly queued accounts without waiting for the sweeper. Returns at once. */
export function wakeReaders(): void {
  keepFunctionAlive(sleep(BURST_MS).then(startReader));
}

/** Reads accounts until none is due. Never throws. */
export async function runDueReads(): Promise<void> {
  for (let i = 0; i < MAX_READERS; i++) startReader();
  await Promise.all(running);
}

const startReader = (): void => {
  wakes += 1;
  if (running.size >= MAX_READERS) return;
  const reader = readWhileDue()
    .catch((error: unknown) => log("warn", "templates.reads-stopped", errorFields(error)))
    .finally(() => running.delete(reader));
  running.add(reader);
  keepFunctionAlive(reader);
};

/** Checks again if it was woken during the last check, which may have missed what was queued. */
const readWhileDue = async (): Promise<void> => {
  for (;;) {
    const before = wakes;
    const read = await claimDueRead();
    if (read) await readAccount(read);
    else if (wakes === before) return;
  }
};
