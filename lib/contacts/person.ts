import type { Mode } from "@/lib/core/principal";
import { type Identifier, isNumber, leftNames } from "./names";

/** A contact and all its names. */
export type Person = {
  id: string;
  createdMs: number;
  /** The number to show and to send to. */
  phone: string | null;
  displayName: string | null;
  lastInboundMs: number | null;
  /** The newest marketing preference in each mode: test mode's changes nothing of what live keys may send. */
  preferences: Partial<Record<Mode, Preference>>;
  /** Keys of the last things that they did, the newest last. */
  recentEvents: string[];
  names: Identifier[];
  /** Of contacts that were merged into this one before. */
  formerIds: string[];
};

/** A person stopped marketing messages or allowed them again, in WhatsApp's settings or by a word to the workspace. */
export type Preference = { isStop: boolean; source: "whatsapp" | "word"; atMs: number };

/** A person used some names, or a status of a message to them mentions some. */
export type Seen = {
  kind: "seen";
  /** The line's business account at WhatsApp. */
  account: string;
  numbers: readonly string[];
  userId: string | null;
  atMs: number;
  /** The person wrote a message; otherwise the names are from a status or response of WhatsApp's. */
  hasWritten: boolean;
  opensWindow: boolean;
  displayName: string | null;
  /** Of what they did: the same in every repetition. */
  key?: string;
  preference?: (Omit<Preference, "atMs"> & { mode: Mode }) | undefined;
  /** The contact that the related message of ours was sent to, and the number or id it went to. */
  sentTo: string | null;
  sentToName: string | null;
  /** Whether it is certainly that contact: a status of a message to a number may concern the number's next owner. */
  isSentToCertain: boolean;
};

/** WhatsApp announced that a person gave up one name for another. */
export type Moved = { kind: "moved"; account: string; from: NamePair; to: NamePair; atMs: number; key?: string };
export type NamePair = { number: string | null; userId: string | null };

/** The workspace names a number itself: by hand, in a file or at its set-up. That does not prove who uses it. */
export type Given = {
  kind: "given";
  number: string;
  /** Replaces the contact's name; null keeps it. */
  displayName: string | null;
  atMs: number;
  /** The contact that gets the number; null for its holder. */
  contactId: string | null;
  /** Whether it may be from an old list: then a number that a person of this name has left is no new person's. */
  mayBeOld: boolean;
};

/** An event about a person, in one workspace. */
export type PersonEvent = { workspaceId: string } & (Seen | Moved | Given);

export type Joined = {
  /** The remaining people, with their new state. */
  people: Person[];
  /** Merged contacts, now or before: the former id, mapped to the id that stays. */
  merged: Map<string, string>;
  /** The contact of each event, in order; null if it proves nothing. */
  contactIds: (string | null)[];
  /** The places of events that their person's last ones contain already. */
  repeated: Set<number>;
};

/** How many of what a person did last are known again. WhatsApp repeats a webhook within minutes, and for days if it failed. */
const RECENT_EVENTS = 30;

export function newPerson(newId: () => string): Person {
  return {
    id: newId(),
    createdMs: Number.POSITIVE_INFINITY,
    phone: null,
    displayName: null,
    lastInboundMs: null,
    preferences: {},
    recentEvents: [],
    names: [],
    formerIds: [],
  };
}

export function nameOf({ names }: Person, name: string | null): Identifier | undefined {
  return names.find((one) => one.name === name);
}

export function hasName(person: Person, name: string | null): boolean {
  return nameOf(person, name) !== undefined;
}

export function hasLeft(person: Person, name: string | null): boolean {
  const own = nameOf(person, name);
  return own !== undefined && leftNames(person.names).has(own);
}

export function remember(person: Person, key: string): void {
  person.recentEvents = [...person.recentEvents, key].slice(-RECENT_EVENTS);
}

/** Adds a name that the person used at that time, or that was only mentioned, and returns it. */
export function touch(
  person: Person,
  name: string,
  account: string,
  { atMs, hasWritten }: { atMs: number; hasWritten: boolean },
): Identifier {
  const lastSeenMs = hasWritten ? atMs : null;
  return addTo(person, { name, account, firstSeenMs: atMs, lastSeenMs, arrivedMs: null, leftMs: null, takenMs: null });
}

/** Adds to the elder of two contacts of one person what the other has. */
export function absorb(eldest: Person, other: Person): void {
  eldest.phone ??= other.phone;
  eldest.displayName ??= other.displayName;
  eldest.lastInboundMs = latest(eldest.lastInboundMs, other.lastInboundMs);
  addPreferences(eldest, other.preferences);
  // The newest of both, as many of each: which of them came first is unknown.
  const aged = [eldest, other].flatMap(({ recentEvents: keys }) =>
    keys.map((key, place) => ({ key, age: keys.length - place })),
  );
  const inOrder = aged.toSorted((a, b) => b.age - a.age).map(({ key }) => key);
  eldest.recentEvents = inOrder.slice(-RECENT_EVENTS);
  for (const theirs of other.names) {
    // A takeover between merged contacts never happened: they are one person.
    const own = nameOf(eldest, theirs.name);
    if (own && (own.takenMs === null || theirs.takenMs === null)) own.takenMs = theirs.takenMs = null;
    addTo(eldest, theirs);
  }
}

/** An id stored without an account equals the same id with one. */
function addTo(person: Person, given: Identifier): Identifier {
  const known = person.names.find(
    ({ name, account }) =>
      name === given.name && (isNumber(name) || [given.account, ""].includes(account) || given.account === ""),
  );
  if (!known) {
    const own = { ...given };
    person.names.push(own);
    return own;
  }
  known.account ||= given.account;
  known.firstSeenMs = Math.min(known.firstSeenMs, given.firstSeenMs);
  for (const time of ["lastSeenMs", "arrivedMs", "leftMs", "takenMs"] as const)
    known[time] = latest(known[time], given[time]);
  return known;
}

function latest(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other);
}

export function addPreferences({ preferences }: Person, given: Person["preferences"]): void {
  for (const mode of ["live", "test"] as const) {
    const newest = [preferences[mode], given[mode]].filter((one) => one !== undefined).sort(laterFirst)[0];
    if (newest) preferences[mode] = newest;
  }
}

/** Of two in the same second a stop counts, and one in WhatsApp's settings: the order of arrival never decides. */
function laterFirst(a: Preference, b: Preference): number {
  return (
    b.atMs - a.atMs ||
    Number(b.isStop) - Number(a.isStop) ||
    Number(b.source === "whatsapp") - Number(a.source === "whatsapp")
  );
}
