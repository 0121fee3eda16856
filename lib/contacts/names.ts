import type { PendingQuery, Row, Sql } from "postgres";
import type { WorkspaceId } from "@/lib/core/principal";

/**
 * A phone number or WhatsApp user id of a person, with its history. Fields only grow (first seen only
 * shrinks), so facts may arrive late, repeated and in any order. Epoch milliseconds, by WhatsApp's clock.
 */
export type Identifier = {
  /** A phone number's digits, or a user id. */
  name: string;
  /** The business account that a user id was seen under; "" for a phone number, or if unknown. */
  account: string;
  firstSeenMs: number;
  /** When the person last used it; null if only a caller or a status mentioned it. */
  lastSeenMs: number | null;
  /** When WhatsApp announced it as the new one. */
  arrivedMs: number | null;
  /** When WhatsApp announced that the person gave it up. */
  leftMs: number | null;
  /** Since when another person has been seen with it. */
  takenMs: number | null;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Returns when a user id became the person's. */
export function beganMs({ arrivedMs, firstSeenMs }: Identifier): number {
  return arrivedMs ?? firstSeenMs;
}

/** Returns until when a name is known to be the person's, rounded down to WhatsApp's whole seconds. */
export function heldUntilMs({ lastSeenMs, firstSeenMs }: Identifier): number {
  return lastSeenMs ?? Math.floor(firstSeenMs / 1_000) * 1_000;
}

/**
 * Returns the names that the person has left, and when. WhatsApp creates new user ids, one a portfolio, when a phone
 * number changes, so an announcement that one name was given up also ends all others that were not used since.
 */
export function leftNames(names: readonly Identifier[]): Map<Identifier, number> {
  const left = new Map<Identifier, number>();
  const moves: { atMs: number; by: Identifier }[] = [];
  for (const ids of idsByAccount(names)) {
    for (const [index, by] of ids.entries()) {
      const next = ids[index + 1];
      if (!next) continue;
      left.set(by, beganMs(next));
      moves.push({ atMs: beganMs(next), by });
    }
  }
  for (const by of names) {
    const atMs = givenUpMs(by);
    if (atMs === null) continue;
    left.set(by, atMs);
    // If another person has the number now, all we know is when its former owner was last seen with it.
    moves.push({ atMs: by.leftMs === atMs ? atMs : heldUntilMs(by) + 1, by });
  }
  for (const name of names) {
    // A notice that ended a name has the exact time; a number that was taken over may have ended earlier.
    if (givenUpMs(name) !== null && name.leftMs === givenUpMs(name)) continue;
    for (const { atMs, by } of moves) {
      if (by === name || atMs <= heldUntilMs(name) || isSameMove(name, { atMs, by })) continue;
      left.set(name, Math.min(atMs, left.get(name) ?? atMs));
    }
  }
  return left;
}

function givenUpMs({ leftMs, takenMs, lastSeenMs, arrivedMs }: Identifier): number | null {
  // Two moves within one second of WhatsApp's clock: a name that arrived and was left in it counts as left.
  const isPassed = arrivedMs !== null && lastSeenMs === arrivedMs + 1 && leftMs === lastSeenMs;
  const ends = [leftMs, takenMs].filter((ms) => ms !== null && (lastSeenMs === null || isPassed || ms > lastSeenMs));
  return ends.length === 0 ? null : Math.min(...ends.map(Number));
}

/** Groups user ids by account, in order of start; on a tie, ids that were given up come first. */
function idsByAccount(names: readonly Identifier[]): Identifier[][] {
  const ids = names.filter(({ name }) => !isNumber(name));
  const accounts = [...new Set(ids.map(({ account }) => account))];
  return accounts.map((account) =>
    ids
      .filter((id) => id.account === account)
      .toSorted((a, b) => beganMs(a) - beganMs(b) || Number(givenUpMs(b) !== null) - Number(givenUpMs(a) !== null)),
  );
}

/**
 * Whether a name arrived with the same move that ended another one: two portfolios each announce one number
 * change. A name that arrived with the ended one, or before it, was ended, too.
 */
function isSameMove({ arrivedMs }: Identifier, { atMs, by }: { atMs: number; by: Identifier }): boolean {
  if (arrivedMs === null || atMs - arrivedMs > HOUR_MS) return false;
  return by.arrivedMs === null || by.arrivedMs < arrivedMs - MINUTE_MS;
}

/** Returns every number that the person has not left. */
export function currentNumbers(names: readonly Identifier[]): string[] {
  const left = leftNames(names);
  return names.filter((name) => isNumber(name.name) && !left.has(name)).map(({ name }) => name);
}

/**
 * Returns the number to show and to send to: the last used one that was not left. Keeps `shown` if nothing
 * proves that the person uses another: WhatsApp writes some numbers with a digit more or less than callers do.
 */
export function currentNumber(names: readonly Identifier[], shown: string | null): string | null {
  const left = leftNames(names);
  const numbers = names
    .filter((name) => isNumber(name.name) && !left.has(name))
    .toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0) || b.firstSeenMs - a.firstSeenMs);
  const kept = numbers.find(({ name }) => name === shown);
  if (kept && (kept.lastSeenMs === null || kept.lastSeenMs >= (numbers[0]?.lastSeenMs ?? 0))) return kept.name;
  return numbers[0]?.name ?? null;
}

/** Returns the newest user id that was not left: of `account` (or an unknown one), or of any account. */
export function currentUserId(names: readonly Identifier[], account?: string): string | null {
  const left = leftNames(names);
  const ids = names.filter((name) => isIdOf(name, account) && !left.has(name));
  return ids.toSorted((a, b) => beganMs(b) - beganMs(a))[0]?.name ?? null;
}

/** Returns the person's user id in an account at that time: the last to start that no notice had ended. */
export function userIdAt(names: readonly Identifier[], account: string, atMs: number): string | null {
  const had = names.filter(
    (name) => isIdOf(name, account) && beganMs(name) <= atMs && (name.leftMs === null || name.leftMs > atMs),
  );
  return had.toSorted((a, b) => beganMs(b) - beganMs(a))[0]?.name ?? null;
}

function isIdOf({ name, account: own }: Identifier, account: string | undefined): boolean {
  return !isNumber(name) && (account === undefined || own === account || own === "");
}

/** Whether a person has left the number and no one has been seen with it since, as SQL: it may still be theirs. */
export function isLeftNumber(sql: Sql, workspaceId: WorkspaceId, phone: string): PendingQuery<Row[]> {
  return sql`
      coalesce((
        select bool_or(is_left) and not bool_or(not is_left and last_seen_at is not null) from contact_names
        where workspace_id = ${workspaceId} and name = ${phone}
      ), false)`;
}
