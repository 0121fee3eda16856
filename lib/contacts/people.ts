import { beganMs, currentNumber, currentUserId, heldUntilMs, leftNames, userIdAt } from "./names";
import {
  absorb,
  addPreferences,
  type Given,
  hasLeft,
  hasName,
  type Joined,
  type Moved,
  type NamePair,
  nameOf,
  newPerson,
  type Person,
  remember,
  type Seen,
  touch,
} from "./person";

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
  const people = new People(known, newId);
  const contactIds: (string | null)[] = events.map(() => null);
  const repeated = new Set<number>();
  const doneBy = new Map(known.flatMap(({ id, recentEvents }) => recentEvents.map((key) => [key, id])));
  for (const [index, event] of [...events.entries()].sort(([, a], [, b]) => a.atMs - b.atMs)) {
    const key = event.kind === "given" ? undefined : event.key;
    const by = key && doneBy.get(key);
    // A repetition changes nothing: without a time of WhatsApp's it would count as of now.
    const person = by ? undefined : people.apply(event);
    if (by) repeated.add(index);
    contactIds[index] = by ?? person?.id ?? null;
    if (!person || !key) continue;
    remember(person, key);
    doneBy.set(key, person.id);
  }
  people.settleNumbers();
  return {
    people: people.all(),
    merged: people.merged,
    contactIds: contactIds.map((id) => id && (people.merged.get(id) ?? id)),
    repeated,
  };
}

/** The people whom some events concern, as they are once each was applied, in the order of their time. */
class People {
  /** The ids of contacts that were merged, now or before, and which remains. */
  readonly merged = new Map<string, string>();
  private readonly byId: Map<string, Person>;

  constructor(
    known: readonly Person[],
    private readonly newId: () => string,
  ) {
    this.byId = new Map(known.map((person) => [person.id, structuredClone(person)]));
    for (const { id, formerIds } of known) for (const former of formerIds) this.merged.set(former, id);
  }

  all(): Person[] {
    return [...this.byId.values()];
  }

  /** Returns whom the event is about; undefined if it proves nothing. */
  apply(event: Seen | Moved | Given): Person | undefined {
    if (event.kind === "given") return this.given(event);
    return event.kind === "seen" ? this.seen(event) : this.moved(event);
  }

  private seen(event: Seen): Person | undefined {
    const { account, userId, atMs, hasWritten } = event;
    const isOther = (person: Person, untilMs: number | null = null): boolean => {
      const current = untilMs === null ? currentUserId(person.names, account) : userIdAt(person.names, account, atMs);
      return userId !== null && current !== null && !hasName(person, userId);
    };
    const linked = new Set(this.withName(userId));
    const sentTo = this.withId(event.sentTo);
    // A retried send may have gone to a number that its contact had left by then.
    const isCertain = event.isSentToCertain && !(sentTo && hasLeft(sentTo, event.sentToName));
    if (sentTo && (isCertain || linked.has(sentTo) || !isOther(sentTo))) linked.add(sentTo);
    // A message to a number that now belongs to another person does not identify its recipient.
    if (!hasWritten && !linked.has(sentTo as Person)) return undefined;
    const taken: [Person, string][] = [];
    for (const number of event.numbers) {
      for (const { person: holder, leftMs } of this.holdersOf(number, atMs)) {
        if (linked.has(holder) || !isOther(holder, leftMs)) linked.add(holder);
        else taken.push([holder, number]);
      }
    }
    const person = this.merge(linked);
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
    person.displayName ??= event.displayName;
    return person;
  }

  private moved({ account, from, to, atMs }: Moved): Person {
    const linked = new Set([...this.withName(from.userId), ...this.withName(to.userId)]);
    const ids = [from.userId, to.userId].filter((id) => id !== null);
    // Another notice of the same move may have arrived first.
    for (const { person: holder } of this.holdersOf(from.number, atMs - HOUR_MS)) {
      const current = currentUserId(holder.names, account);
      if (from.userId === null || current === null || ids.some((id) => hasName(holder, id))) linked.add(holder);
    }
    const former: Person[] = [];
    for (const { person: holder } of this.holdersOf(to.number, atMs)) {
      const current = nameOf(holder, currentUserId(holder.names, account));
      // If the notice has no new user id, it is the one that started around that time.
      const isNew = current !== undefined && to.userId === null && beganMs(current) >= atMs - DAY_MS;
      if (linked.has(holder) || current === undefined || isNew) linked.add(holder);
      else former.push(holder);
    }
    const person = this.merge(linked);
    for (const [name, at] of pair(from, account)) {
      const left = touch(person, name, at, { atMs, hasWritten: false });
      left.leftMs = Math.max(left.leftMs ?? 0, atMs + 1);
    }
    for (const [name, at] of pair(to, account)) {
      const arrived = touch(person, name, at, { atMs: atMs + 1, hasWritten: true });
      arrived.arrivedMs = Math.max(arrived.arrivedMs ?? 0, atMs);
    }
    for (const holder of former) handOver(holder, person, to.number, atMs);
    return person;
  }

  /** Never takes a number from its holder, and never gives one back that its person has left. */
  private given({ number, displayName, atMs, contactId, mayBeOld }: Given): Person {
    const asked = this.withId(contactId);
    const former = this.all().find(
      (person) => hasLeft(person, number) && (displayName === null || displayName === person.displayName),
    );
    const holders = new Set(this.holdersOf(number, Number.POSITIVE_INFINITY).map(({ person }) => person));
    if (asked && hasName(asked, number)) holders.clear();
    if (holders.size === 0 && mayBeOld && former) return former;
    const person = holders.size === 0 && asked ? asked : this.merge(holders);
    if (!hasName(person, number)) {
      touch(person, number, "", { atMs, hasWritten: false });
      person.phone = number;
    }
    person.displayName = displayName ?? person.displayName;
    return person;
  }

  /** Ensures that no two contacts share a number: the one who used it last keeps it. */
  settleNumbers(): void {
    for (let isSettled = false; !isSettled; ) {
      isSettled = true;
      const owners = new Map<string, Person>();
      for (const person of this.all()) {
        person.phone = currentNumber(person.names, person.phone);
        const own = nameOf(person, person.phone);
        if (!own) continue;
        const other = owners.get(own.name);
        owners.set(own.name, person);
        if (!other) continue;
        handOver(other, person, own.name, heldUntilMs(own));
        isSettled = false;
      }
    }
  }

  private withId(id: string | null): Person | undefined {
    return id === null ? undefined : this.byId.get(this.merged.get(id) ?? id);
  }

  private withName(name: string | null): Person[] {
    return this.all().filter((person) => hasName(person, name));
  }

  /** Returns who had the number at that time: the first to leave it afterwards, else its current holders. */
  private holdersOf(number: string | null, atMs: number): { person: Person; leftMs: number | null }[] {
    const holders = this.all().flatMap((person) => {
      const name = nameOf(person, number);
      return name ? [{ person, leftMs: leftNames(person.names).get(name) ?? null }] : [];
    });
    const [then] = holders
      .flatMap(({ person, leftMs }) => (leftMs !== null && leftMs > atMs ? [{ person, leftMs }] : []))
      .sort((a, b) => a.leftMs - b.leftMs);
    return then ? [then] : holders.filter(({ leftMs }) => leftMs === null);
  }

  /** Merges the people into the oldest of them; creates a new person if there are none. */
  private merge(linked: ReadonlySet<Person>): Person {
    const [eldest = newPerson(this.newId), ...others] = [...linked].sort(
      (a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1),
    );
    this.byId.set(eldest.id, eldest);
    for (const other of others) {
      this.byId.delete(other.id);
      for (const [former, id] of this.merged) if (id === other.id) this.merged.set(former, eldest.id);
      this.merged.set(other.id, eldest.id);
      absorb(eldest, other);
    }
    return eldest;
  }
}

/** Resolves two claims to one number: the one who used it last keeps it. */
function handOver(holder: Person, person: Person, number: string | null, atMs: number): void {
  const [theirs, own] = [nameOf(holder, number), nameOf(person, number)];
  if (holder === person || !theirs || !own) return;
  const [lost, kept] = atMs >= heldUntilMs(theirs) ? [theirs, own] : [own, theirs];
  lost.takenMs = Math.max(lost.takenMs ?? 0, heldUntilMs(lost) + 1, kept.firstSeenMs);
}

function pair({ number, userId }: NamePair, account: string): [string, string][] {
  const names: [string | null, string][] = [
    [number, ""],
    [userId, account],
  ];
  return names.flatMap(([name, at]): [string, string][] => (name === null ? [] : [[name, at]]));
}
