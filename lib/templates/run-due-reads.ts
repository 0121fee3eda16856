import { setTimeout as sleep } from "node:timers/promises";
import { keepAlive } from "@/lib/core/keep-alive";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { claimDueRead } from "@/lib/phone-numbers/claim-read";
import { readAccount } from "./read-account";

/** Readers of one process. Each reads one account at a time, and of one workspace only one account is read at all. */
const MOST_READERS = 4;
/** WhatsApp reports approvals in bursts: one read serves all of a burst. */
const BURST_MS = 500;

type Readers = { running: Set<Promise<void>>; wakes: number };

const readers = () => processWide<Readers>("templateReaders", () => ({ running: new Set(), wakes: 0 }));

/** Has what was queued just now read without waiting for the sweeper. Returns at once. */
export function wakeReaders(): void {
  keepAlive(sleep(BURST_MS).then(startReader));
}

/** Reads what is due; ends when nothing is left that is due now. Never throws. */
export async function runDueReads(): Promise<void> {
  for (let i = 0; i < MOST_READERS; i++) startReader();
  await Promise.all(readers().running);
}

const startReader = (): void => {
  const { running } = readers();
  readers().wakes += 1;
  if (running.size >= MOST_READERS) return;
  const reader = readWhileDue()
    .catch((error: unknown) => log("warn", "templates.reads-stopped", errorFields(error)))
    .finally(() => running.delete(reader));
  running.add(reader);
  keepAlive(reader);
};

/** Looks once more where it was woken during its last look, as that may have come too early to see what was queued. */
const readWhileDue = async (): Promise<void> => {
  for (;;) {
    const { wakes } = readers();
    const read = await claimDueRead();
    if (read) await readAccount(read);
    else if (readers().wakes === wakes) return;
  }
};
