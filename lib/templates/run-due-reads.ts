import { setTimeout as sleep } from "node:timers/promises";
import { DueWork, keepFunctionAlive } from "@/lib/core/due-work";
import { claimDueRead } from "@/lib/phone-numbers/queue-reads";
import { readAccount } from "./read-account";

/** Readers per process. Each reads one account at a time, and only one account per workspace is read at once. */
const MAX_READERS = 4;
/** WhatsApp reports approvals in bursts: one read serves all of a burst. */
const BURST_MS = 500;

async function readNext(): Promise<boolean> {
  const read = await claimDueRead();
  if (read) await readAccount(read);
  return read !== undefined;
}

const reads = new DueWork(readNext, { most: MAX_READERS, failure: "templates.reads-stopped" });

/** Starts reading newly queued accounts without waiting for the sweeper. Returns at once. */
export function wakeReaders(): void {
  keepFunctionAlive(sleep(BURST_MS).then(() => reads.run()));
}

/** Reads accounts until none is due. Never throws. */
export function runDueReads(): Promise<void> {
  return reads.run(MAX_READERS);
}
