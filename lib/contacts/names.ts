/**
 * A phone number or a WhatsApp user id of one person, and what is known of it. Every field only grows (the first seen only
 * shrinks), so that facts may arrive late, twice and in any order. Milliseconds since 1970, from WhatsApp's own times.
 */
export type Name = {
  /** A phone number's digits, or a user id. */
  name: string;
  /** The business account that a user id was seen under; "" for a phone number, and where it is unknown. */
  account: string;
  firstSeenMs: number;
  /** When the person used it last; null where only a caller or a status named it. */
  lastSeenMs: number | null;
  /** When WhatsApp announced it as the new one. */
  arrivedMs: number | null;
  /** When WhatsApp announced that the person gave it up. */
  leftMs: number | null;
  /** Since when another person was seen to have it. */
  takenMs: number | null;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** When a user id began to be the person's. */
export function beganMs({ arrivedMs, firstSeenMs }: Name): number {
  return arrivedMs ?? firstSeenMs;
}

/** Until when a name is known to have been the person's. WhatsApp's times are whole seconds, and ours are not. */
export function heldUntilMs({ lastSeenMs, firstSeenMs }: Name): number {
  return lastSeenMs ?? Math.floor(firstSeenMs / 1_000) * 1_000;
}

/**
 * The names that their person has left, and when. WhatsApp makes new user ids, one per portfolio, whenever a phone number
 * changes: so whatever announces that one name was given up also ends all others that were not used since.
 */
export function leftNames(names: readonly Name[]): Map<Name, number> {
  const left = new Map<Name, number>();
  const moves: { atMs: number; by: Name }[] = [];
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
    // Of a number that another person has by now no more is known than when its former owner was last seen with it.
    moves.push({ atMs: by.leftMs === atMs ? atMs : heldUntilMs(by) + 1, by });
  }
  for (const name of names) {
    // The notice that ended a name knows the time; of one that another person has it may have been earlier.
    if (givenUpMs(name) !== null && name.leftMs === givenUpMs(name)) continue;
    for (const { atMs, by } of moves) {
      if (by === name || atMs <= heldUntilMs(name) || isSameMove(name, { atMs, by })) continue;
      left.set(name, Math.min(atMs, left.get(name) ?? atMs));
    }
  }
  return left;
}

function givenUpMs({ leftMs, takenMs, lastSeenMs, arrivedMs }: Name): number | null {
  // Two moves within one second of WhatsApp's clock: what arrived in it and was left in it is left.
  const isPassed = arrivedMs !== null && lastSeenMs === arrivedMs + 1 && leftMs === lastSeenMs;
  const ends = [leftMs, takenMs].filter((ms) => ms !== null && (lastSeenMs === null || isPassed || ms > lastSeenMs));
  return ends.length === 0 ? null : Math.min(...ends.map(Number));
}

/** Within an account the ids follow one another; what was given up comes before what was not. */
function idsByAccount(names: readonly Name[]): Name[][] {
  const ids = names.filter(({ name }) => !isNumber(name));
  const accounts = [...new Set(ids.map(({ account }) => account))];
  return accounts.map((account) =>
    ids
      .filter((id) => id.account === account)
      .toSorted((a, b) => beganMs(a) - beganMs(b) || Number(givenUpMs(b) !== null) - Number(givenUpMs(a) !== null)),
  );
}

/**
 * Whether a name came with the very move that ended another one: two portfolios announce one change of number each for
 * itself. A name that had come together with the ended one, or before it, was ended, too.
 */
function isSameMove({ arrivedMs }: Name, { atMs, by }: { atMs: number; by: Name }): boolean {
  if (arrivedMs === null || atMs - arrivedMs > HOUR_MS) return false;
  return by.arrivedMs === null || by.arrivedMs < arrivedMs - MINUTE_MS;
}

/**
 * The number to show and to send to, among those that were not left: the one used last. `shown` stays where nothing
 * shows that the person uses another: WhatsApp writes some numbers with a digit more or less than a caller does.
 */
export function currentNumber(names: readonly Name[], shown: string | null): string | null {
  const left = leftNames(names);
  const numbers = names
    .filter((name) => isNumber(name.name) && !left.has(name))
    .toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0) || b.firstSeenMs - a.firstSeenMs);
  const kept = numbers.find(({ name }) => name === shown);
  if (kept && (kept.lastSeenMs === null || kept.lastSeenMs >= (numbers[0]?.lastSeenMs ?? 0))) return kept.name;
  return numbers[0]?.name ?? null;
}

/** The newest user id that was not left: of one account, where it may be one of an unknown account, or of any. */
export function currentUserId(names: readonly Name[], account?: string): string | null {
  const left = leftNames(names);
  const ids = names.filter((name) => isIdOf(name, account) && !left.has(name));
  return ids.toSorted((a, b) => beganMs(b) - beganMs(a))[0]?.name ?? null;
}

/** The user id that the person had in an account then: the last that had begun, and that no notice had ended. */
export function userIdAt(names: readonly Name[], account: string, atMs: number): string | null {
  const had = names.filter(
    (name) => isIdOf(name, account) && beganMs(name) <= atMs && (name.leftMs === null || name.leftMs > atMs),
  );
  return had.toSorted((a, b) => beganMs(b) - beganMs(a))[0]?.name ?? null;
}

function isIdOf({ name, account: own }: Name, account: string | undefined): boolean {
  return !isNumber(name) && (account === undefined || own === account || own === "");
}
