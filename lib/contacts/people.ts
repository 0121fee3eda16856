import {
  beganMs,
  currentNumber,
  currentUserId,
  heldUntilMs,
  type Identifier,
  isNumber,
  leftNames,
  userIdAt,
} from "./names";
import type { Given, Joined, Moved, NamePair, Person, Preference, Seen } from "./person";

/** How many of what a person did last are known again. WhatsApp repeats a webhook within minutes, and for days if it failed. */
const RECENT_EVENTS = 30;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/**
 * Decides which contact each event is about. `known` holds everyone who has or had a name in it. Whatever the order,
 * repetition and delay of the events, one person ends up as one contact (docs/decisions/0025).
 */
export function joinPeople(
  known: readonly Person[],
  events: readonly (Seen | Moved | Given)[],
  newId: () => string,
): Joined {
  const people = new Map(known.map((person) => [person.id, structuredClone(person)]));
  const named = new Set(known.filter(({ displayName }) => displayName !== null).map(({ id }) => id));
  const merged = new Map<string, string>();
  const contactIds: (string | null)[] = events.map(() => null);
  const repeated = new Set<number>();
  const doneBy = new Map(known.flatMap(({ id, recentEvents }) => recentEvents.map((key) => [key, id])));
  const inOrder = [...events.entries()].sort(([, a], [, b]) => a.atMs - b.atMs);
  for (const [index, event] of inOrder) {
    const key = event.kind === "given" ? undefined : event.key;
    // A repetition changes nothing: without a time of WhatsApp's it would count as of now.
    const by = key && doneBy.get(key);
    const known = by && people.get(merged.get(by) ?? by);
    if (known) repeated.add(index);
    const person =
      known || (event.kind === "seen" ? seen(event) : event.kind === "moved" ? moved(event) : given(event));
    contactIds[index] = person?.id ?? null;
    if (!person || !key || known) continue;
    person.recentEvents = [...person.recentEvents, key].slice(-RECENT_EVENTS);
    doneBy.set(key, person.id);
  }
  settleNumbers();
  const now = contactIds.map((id) => id && (merged.get(id) ?? id));
  return { people: [...people.values()], merged, contactIds: now, repeated };

  function seen(event: Seen): Person | undefined {
    const { account, userId, atMs, hasWritten } = event;
    const isOther = (person: Person, untilMs: number | null = null): boolean => {
      const current = untilMs === null ? currentUserId(person.names, account) : userIdAt(person.names, account, atMs);
      return userId !== null && current !== null && !hasName(person, userId);
    };
    const linked = new Set(withUserId(userId));
    const sentTo = event.sentTo === null ? undefined : people.get(event.sentTo);
    // A retried send may have gone to a number that its contact had left by then.
    const isCertain = event.isSentToCertain && !(sentTo && hasLeft(sentTo, event.sentToName));
    if (sentTo && (isCertain || linked.has(sentTo) || !isOther(sentTo))) linked.add(sentTo);
    // A message to a number that now belongs to another person does not identify its recipient.
    if (!hasWritten && !linked.has(sentTo as Person)) return undefined;
    const taken: [Person, string][] = [];
    for (const number of event.numbers) {
      for (const { person: holder, leftMs } of holdersOf(number, atMs)) {
        if (linked.has(holder) || !isOther(holder, leftMs)) linked.add(holder);
        else taken.push([holder, number]);
      }
    }
    const person = merge(linked);
    for (const number of event.numbers) {
      if (hasWritten || !taken.some(([, one]) => one === number)) touch(person, number, "", event);
    }
    if (userId !== null) touch(person, userId, account, event);
    if (hasWritten) for (const [holder, number] of taken) handOver(holder, person, number, atMs);
    if (event.opensWindow) person.lastInboundMs = Math.max(person.lastInboundMs ?? 0, atMs);
    if (event.preference) {
      const { mode, ...preference } = event.preference;
      addPreferences(person, { [mode]: { ...preference, atMs } });
    }
    if (!named.has(person.id)) person.displayName = event.displayName ?? person.displayName;
    return person;
  }

  function moved({ account, from, to, atMs }: Moved): Person {
    const linked = new Set([...withUserId(from.userId), ...withUserId(to.userId)]);
    const ids = [from.userId, to.userId].filter((id) => id !== null);
    // Another notice of the same move may have arrived first.
    for (const { person: holder } of from.number === null ? [] : holdersOf(from.number, atMs - HOUR_MS)) {
      const current = currentUserId(holder.names, account);
      if (from.userId === null || current === null || ids.some((id) => hasName(holder, id))) linked.add(holder);
    }
    const former: Person[] = [];
    for (const { person: holder } of to.number === null ? [] : holdersOf(to.number, atMs)) {
      const current = holder.names.find(({ name }) => name === currentUserId(holder.names, account));
      // If the notice has no new user id, it is the one that started around that time.
      const isNew = current !== undefined && to.userId === null && beganMs(current) >= atMs - DAY_MS;
      if (linked.has(holder) || current === undefined || isNew) linked.add(holder);
      else former.push(holder);
    }
    const person = merge(linked);
    for (const [name, at] of pair(from, account)) {
      const left = touch(person, name, at, { atMs, hasWritten: false });
      left.leftMs = Math.max(left.leftMs ?? 0, atMs + 1);
    }
    for (const [name, at] of pair(to, account)) {
      const arrived = touch(person, name, at, { atMs: atMs + 1, hasWritten: true });
      arrived.arrivedMs = Math.max(arrived.arrivedMs ?? 0, atMs);
    }
    for (const holder of former) handOver(holder, person, to.number ?? "", atMs);
    return person;
  }

  /** Never takes a number from its holder, and never gives one back that its person has left. */
  function given({ number, displayName, atMs, contactId, mayBeOld }: Given): Person {
    const asked = contactId === null ? undefined : people.get(contactId);
    const former = [...people.values()].find(
      (person) => hasLeft(person, number) && (displayName === null || displayName === person.displayName),
    );
    const holders = new Set(holdersOf(number, Number.POSITIVE_INFINITY).map(({ person }) => person));
    if (asked && hasName(asked, number)) holders.clear();
    if (holders.size === 0 && mayBeOld && former) return former;
    const person = holders.size === 0 && asked ? asked : merge(holders);
    if (!hasName(person, number)) {
      touch(person, number, "", { atMs, hasWritten: false });
      person.phone = number;
    }
    if (displayName !== null) {
      person.displayName = displayName;
      named.add(person.id);
    }
    return person;
  }

  /** Ensures that no two contacts share a number: the one who used it last keeps it. */
  function settleNumbers(): void {
    for (let isSettled = false; !isSettled; ) {
      isSettled = true;
      const owners = new Map<string, Person>();
      for (const person of people.values()) {
        person.phone = currentNumber(person.names, person.phone);
        if (person.phone === null) continue;
        const other = owners.get(person.phone);
        owners.set(person.phone, person);
        if (!other) continue;
        handOver(other, person, person.phone, lastHeldMs(person, person.phone));
        isSettled = false;
      }
    }
  }

  /** Resolves two claims to one number: the one who used it last keeps it. */
  function handOver(holder: Person, person: Person, number: string, atMs: number): void {
    const [theirs, own] = [holder, person].map(({ names }) => names.find(({ name }) => name === number));
    if (holder === person || !theirs || !own) return;
    const [lost, kept] = atMs >= heldUntilMs(theirs) ? [theirs, own] : [own, theirs];
    lost.takenMs = Math.max(lost.takenMs ?? 0, heldUntilMs(lost) + 1, kept.firstSeenMs);
  }

  function withUserId(userId: string | null): Person[] {
    return userId === null ? [] : [...people.values()].filter((person) => hasName(person, userId));
  }

  /** Returns who had the number at that time: the first to leave it afterwards, else its current holders. */
  function holdersOf(number: string, atMs: number): { person: Person; leftMs: number | null }[] {
    const holders = [...people.values()].flatMap((person) => {
      const name = person.names.find((one) => one.name === number);
      return name ? [{ person, leftMs: leftNames(person.names).get(name) ?? null }] : [];
    });
    const [then] = holders
      .flatMap(({ person, leftMs }) => (leftMs !== null && leftMs > atMs ? [{ person, leftMs }] : []))
      .sort((a, b) => a.leftMs - b.leftMs);
    return then ? [then] : holders.filter(({ leftMs }) => leftMs === null);
  }

  /** Merges the people into the oldest of them; creates a new person if there are none. */
  function merge(linked: ReadonlySet<Person>): Person {
    const [eldest, ...others] = [...linked].sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
    if (!eldest) {
      const id = newId();
      const person = {
        id,
        createdMs: Number.POSITIVE_INFINITY,
        phone: null,
        displayName: null,
        lastInboundMs: null,
        preferences: {},
        recentEvents: [],
        names: [],
      };
      people.set(id, person);
      return person;
    }
    for (const other of others) {
      people.delete(other.id);
      for (const [former, id] of merged) if (id === other.id) merged.set(former, eldest.id);
      merged.set(other.id, eldest.id);
      if (named.has(other.id)) named.add(eldest.id);
      eldest.phone ??= other.phone;
      eldest.displayName ??= other.displayName;
      eldest.lastInboundMs = latest(eldest.lastInboundMs, other.lastInboundMs);
      addPreferences(eldest, other.preferences);
      eldest.recentEvents = newestOf(eldest.recentEvents, other.recentEvents);
      for (const theirs of other.names) {
        // A takeover between merged contacts never happened: they are one person.
        const own = eldest.names.find(({ name }) => name === theirs.name);
        if (own && (own.takenMs === null || theirs.takenMs === null)) own.takenMs = theirs.takenMs = null;
        addTo(eldest, theirs);
      }
    }
    return eldest;
  }
}

/** The newest of two lists, as many of each: which of them came first is unknown. */
function newestOf(...lists: string[][]): string[] {
  const aged = lists.flatMap((list) => list.map((key, place) => ({ key, age: list.length - place })));
  return aged
    .toSorted((a, b) => b.age - a.age)
    .map(({ key }) => key)
    .slice(-RECENT_EVENTS);
}

function hasLeft({ names }: Person, name: string | null): boolean {
  const own = names.find((one) => one.name === name);
  return own !== undefined && leftNames(names).has(own);
}

function lastHeldMs({ names }: Person, name: string): number {
  const own = names.find((one) => one.name === name);
  return own ? heldUntilMs(own) : 0;
}

function hasName({ names }: Person, name: string): boolean {
  return names.some((one) => one.name === name);
}

function pair({ number, userId }: NamePair, account: string): [string, string][] {
  return [
    ...(number === null ? [] : [[number, ""] as [string, string]]),
    ...(userId === null ? [] : [[userId, account] as [string, string]]),
  ];
}

function touch(
  person: Person,
  name: string,
  account: string,
  { atMs, hasWritten }: Pick<Seen, "atMs" | "hasWritten">,
): Identifier {
  return addTo(person, {
    name,
    account,
    firstSeenMs: atMs,
    lastSeenMs: hasWritten ? atMs : null,
    arrivedMs: null,
    leftMs: null,
    takenMs: null,
  });
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
  known.lastSeenMs = latest(known.lastSeenMs, given.lastSeenMs);
  known.arrivedMs = latest(known.arrivedMs, given.arrivedMs);
  known.leftMs = latest(known.leftMs, given.leftMs);
  known.takenMs = latest(known.takenMs, given.takenMs);
  return known;
}

function latest(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other);
}

function addPreferences({ preferences }: Person, given: Person["preferences"]): void {
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
