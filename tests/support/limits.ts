import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./workspace";

const WINDOW_MS = 15 * 60_000;
/** As long as a test may take. */
const NEEDED_MS = 30_000;

/**
 * Waits where a new window is about to begin, in which every count would start again in the middle of a test. For a
 * `beforeEach`, whose time is not the test's.
 */
export const awayFromWindowEdge = async (): Promise<void> => {
  const leftMs = WINDOW_MS - (Date.now() % WINDOW_MS);
  if (leftMs < NEEDED_MS) await sleep(leftMs + 500);
};

/** A client address that no other call of this run has. */
export const freshAddress = (): string =>
  // Of so many that two of a run are hardly ever the same.
  `${randomInt(20, 120)}.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

/** Calls `atOnce` at a time: a busy machine turns away (503) who has waited for a second behind hundreds of others. */
export const callInTurn = async (
  count: number,
  atOnce: number,
  call: (i: number) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  while (answers.length < count) {
    answers.push(...(await callInParallel(Math.min(atOnce, count - answers.length), call)));
  }
  return answers;
};

export const callInParallel = (count: number, call: (i: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));

/** How many answers came with each status. */
export const statuses = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
