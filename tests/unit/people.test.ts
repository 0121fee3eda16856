import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currentUserId, leftNames } from "@/lib/contacts/names";
import { joinPeople } from "@/lib/contacts/people";
import type { Given, Moved, Person, Preference, Seen } from "@/lib/contacts/person";
import type { Mode } from "@/lib/core/principal";

type Event = Seen | Moved | Given;
const DAY_MS = 86_400_000;
const STRANGER = "US.stranger";
const FIRST_ID = "US.01";

const seen = (some: Partial<Seen>): Seen => ({
  kind: "seen",
  account: "W1",
  numbers: [],
  userId: null,
  atMs: 0,
  hasWritten: true,
  opensWindow: true,
  displayName: null,
  sentTo: null,
  sentToName: null,
  isSentToCertain: true,
  ...some,
});

/** Of a message that was sent to a number; `sentTo` is the number until the message has its contact. */
const statusOf = (number: string, some: Partial<Seen>): Seen =>
  seen({ ...some, hasWritten: false, opensWindow: false, sentTo: number, isSentToCertain: false });

const imported = (number: string, atMs: number): Given => ({
  kind: "given",
  number,
  displayName: null,
  atMs,
  contactId: null,
  mayBeOld: true,
});

/** As the claim of the first message to a number creates it. */
const contactOf = (id: string, number: string, createdMs: number): Person => {
  const unseen = { account: "", lastSeenMs: null, arrivedMs: null, leftMs: null, takenMs: null };
  const names = [{ name: number, firstSeenMs: createdMs, ...unseen }];
  const nothing = { displayName: null, lastInboundMs: null, preferences: {}, recentEvents: [], formerIds: [] };
  return { id, createdMs, phone: number, names, ...nothing };
};

const ids = () => {
  let count = 0;
  return () => `ct_${++count}`;
};

/** Applies batches one after another, as webhooks arrive. `sent` are the numbers that had a message before any of them. */
const apply = (batches: readonly (readonly Event[])[], sent: readonly string[]): Person[] => {
  const newId = ids();
  let people = sent.map((number, index) => contactOf(newId(), number, index));
  const contacts = new Map(people.map(({ id, phone }) => [phone, id]));
  for (const batch of batches) {
    const events = batch.flatMap((event): Event[] => {
      if (event.kind !== "seen" || event.sentTo === null) return [event];
      const number = event.sentTo;
      const id = contacts.get(number) ?? people.find((one) => currentNames(one).includes(number))?.id;
      if (id === undefined) return event.hasWritten ? [{ ...event, sentTo: null }] : [];
      contacts.set(number, id);
      return [{ ...event, sentTo: id }];
    });
    const joined = joinPeople(people, events, newId);
    for (const [number, id] of contacts) contacts.set(number, joined.merged.get(id) ?? id);
    people = joined.people.map((person, index) =>
      Number.isFinite(person.createdMs) ? person : { ...person, createdMs: 2e12 + index },
    );
  }
  return people;
};

const current = (person: Person) => ({
  number: person.phone,
  W1: currentUserId(person.names, "W1"),
  W2: currentUserId(person.names, "W2"),
});
const currentNames = ({ names }: Person): string[] => {
  const left = leftNames(names);
  return names
    .filter((name) => !left.has(name))
    .map(({ name }) => name)
    .sort();
};

/** A person who changes the number some times, and everything that two portfolios may be told of it. */
const biography = fc
  .record({
    moves: fc.integer({ min: 1, max: 3 }),
    /** From one number to the next. */
    stayMs: fc.constantFrom(2 * DAY_MS, 90_000, 3 * 3_600_000),
    hasStranger: fc.boolean(),
    extras: fc.array(
      fc.record({
        stage: fc.nat(3),
        part: fc.integer({ min: 5, max: 90 }),
        account: fc.constantFrom("W1", "W2"),
        shows: fc.constantFrom("number", "id", "both"),
        kind: fc.constantFrom("message", "status", "reply"),
        isImported: fc.boolean(),
        word: fc.constantFrom(undefined, "stop", "resume"),
        source: fc.constantFrom("whatsapp", "word"),
        mode: fc.constantFrom("live", "test"),
      }),
      { maxLength: 6 },
    ),
    forms: fc.array(fc.constantFrom("numbers", "ids", "all", "fromIdToNumber"), { minLength: 12, maxLength: 12 }),
    lagMs: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 12, maxLength: 12 }),
  })
  .map(({ moves, stayMs, hasStranger, extras, forms, lagMs }) => {
    const startMs = (stage: number) => 1_000_000_000_000 + stage * stayMs;
    const names = (stage: number) => ({ number: `4477009000${stage}0`, W1: `US.${stage}1`, W2: `US.${stage}2` });
    const events: Event[] = [];
    for (const account of ["W1", "W2"] as const) {
      // What links a number with an id: without it nothing could show that both are one person's.
      for (let stage = 0; stage <= moves; stage++) {
        if (account === "W2" && stage > 0 && stage < moves) continue;
        const { number, [account]: userId } = names(stage);
        events.push(seen({ account, numbers: [number], userId, atMs: startMs(stage) + 0.93 * stayMs }));
      }
      for (let stage = 0; stage < moves; stage++) {
        const [before, after] = [names(stage), names(stage + 1)];
        const place = stage * 2 + (account === "W1" ? 0 : 1);
        const atMs = startMs(stage + 1) + Math.min((lagMs[place] ?? 0) * 1_000, 0.04 * stayMs);
        const all = {
          from: { number: before.number, userId: before[account] },
          to: { number: after.number, userId: after[account] },
        };
        const form = forms[place];
        const notice = (from: Moved["from"], to: Moved["to"]) =>
          events.push({ kind: "moved", account, from, to, atMs });
        // Whatever else comes, one notice names both ids: else nothing links them where the number is hidden.
        notice({ number: null, userId: before[account] }, { number: null, userId: after[account] });
        if (form === "all") notice(all.from, all.to);
        if (form === "numbers") notice({ ...all.from, userId: null }, { ...all.to, userId: null });
        if (form === "fromIdToNumber") notice({ number: null, userId: before[account] }, { ...all.to, userId: null });
      }
    }
    const words: (Preference & { mode: Mode })[] = [];
    for (const { stage, part, account, shows, kind, isImported, word, source, mode } of extras) {
      if (stage > moves) continue;
      // A list may be imported long after the person has left the number.
      if (isImported) events.push(imported(names(stage).number, startMs(moves) + 30 * DAY_MS));
      const { number, [account as "W1" | "W2"]: userId } = names(stage);
      const atMs = startMs(stage) + (part / 100) * stayMs;
      if (kind === "status") {
        events.push(statusOf(number, { account, userId, atMs }));
        continue;
      }
      const preference = word && { mode, isStop: word === "stop", source };
      if (preference) words.push({ ...preference, atMs });
      const named = { numbers: shows === "id" ? [] : [number], userId: shows === "number" ? null : userId };
      const answered = kind === "reply" && { numbers: [], userId, sentTo: number, sentToName: number };
      events.push(seen({ account, ...named, ...answered, atMs, preference }));
    }
    if (hasStranger) {
      for (const days of [40, 40.5, 41]) {
        const atMs = startMs(moves) + days * DAY_MS;
        events.push(seen({ account: "W1", numbers: [names(0).number], userId: STRANGER, atMs }));
      }
    }
    // Messages to the first number were sent before it had another owner; those to later ones once they were known.
    const isSent = events.some((event) => event.kind === "seen" && event.sentTo === names(0).number);
    const about = { last: names(moves), hasStranger, former: names(0).number, words };
    return { events, sent: isSent ? [names(0).number] : [], ...about };
  });

/** In any order, some of them twice, cut into batches anywhere. */
const asTheyArrive = biography.chain(({ events, ...rest }) =>
  fc
    .record({
      order: fc.shuffledSubarray([...events, ...events.map((event) => ({ ...event }))], {
        minLength: events.length,
      }),
      cuts: fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
    })
    .map(({ order, cuts }) => {
      const missing = events.filter((event) => !order.some((one) => JSON.stringify(one) === JSON.stringify(event)));
      // Weeks lie between a person and the next owner of the number: nothing tells them apart before the person's id is known.
      const all = [...order, ...missing];
      const isStrangers = (event: Event) => event.kind === "seen" && event.userId === STRANGER;
      const known = all.findIndex(
        (event) => event.kind === "seen" && event.userId === FIRST_ID && event.numbers.length > 0,
      );
      const arranged = [
        ...all.slice(0, known + 1).filter((event) => !isStrangers(event)),
        ...all.slice(0, known + 1).filter(isStrangers),
        ...all.slice(known + 1),
      ];
      const batches: Event[][] = [[]];
      for (const [index, event] of arranged.entries()) {
        if (cuts[index]) batches.push([]);
        batches.at(-1)?.push(event);
      }
      return { batches, ...rest };
    }),
);

describe("property: whatever the order, repetition and lateness of messages and notices", () => {
  test("one person is one contact under the last names, and the next owner of a former number is another", () => {
    fc.assert(
      fc.property(asTheyArrive, ({ batches, sent, last, hasStranger, former, words }) => {
        const people = apply(batches, sent);
        const person = people.find(({ names }) => names.some(({ name }) => name === last.W1));
        expect(people).toHaveLength(hasStranger ? 2 : 1);
        expect(person && current(person)).toEqual(last);
        for (const mode of ["live", "test"] as const) {
          const said = words.filter((word) => word.mode === mode);
          const newest = Math.max(0, ...said.map(({ atMs }) => atMs));
          const lastWords = said.filter(({ atMs }) => atMs === newest);
          expect(person?.preferences[mode]?.atMs ?? 0).toBe(newest);
          expect(person?.preferences[mode]?.isStop ?? false).toBe(lastWords.some(({ isStop }) => isStop));
        }
        expect(person && currentNames(person)).toEqual(Object.values(last).sort());
        const stranger = people.find((one) => one !== person);
        if (hasStranger) expect(stranger && currentNames(stranger)).toEqual([former, STRANGER]);
      }),
      { numRuns: 400 },
    );
  });
});

describe("a repetition", () => {
  const word = (key: string, atMs: number, isStop: boolean, more: Partial<Seen>) =>
    seen({ key, atMs, preference: { mode: "live", isStop, source: "word" }, ...more });

  test("changes nothing, whatever its time, also after the person was merged with another of many events", () => {
    const chatty = (userId: string, number: string): Seen[] =>
      Array.from({ length: 40 }, (_, index) =>
        seen({ key: `${userId}-${index}`, atMs: 1_000 + index, userId, numbers: [number] }),
      );
    const [one, other] = [chatty("A.1", "447700900001"), chatty("A.2", "447700900002")];
    const start = word("start", 2_000, false, { userId: "A.1" });
    const stop = word("stop", 3_000, true, { userId: "A.1" });
    const joined = seen({ key: "joined", atMs: 4_000, userId: "A.1", numbers: ["447700900002"] });
    for (const chat of [
      [...one, start, stop, ...other],
      [...other, ...one, start, stop],
    ]) {
      const people = apply([chat, [{ ...joined, account: "W2" }], [{ ...start, atMs: 5_000 }]], []);
      const stopped = people.find(({ names }) => names.some(({ name }) => name === "A.1"));
      expect(stopped?.preferences.live).toMatchObject({ isStop: true, atMs: 3_000 });
      expect(stopped?.names.find(({ name }) => name === "447700900002")).toBeDefined();
    }
  });
});

test("the first name that WhatsApp shows of a person stays, whether the next comes with it or later", () => {
  const named = ["Ada", "Ada L."].map((displayName, index) =>
    seen({ userId: "A.1", displayName, atMs: index * 1_000 }),
  );
  for (const batches of [[named], named.map((event) => [event])])
    expect(apply(batches, []).map(({ displayName }) => displayName)).toEqual(["Ada"]);
});

test("a reply to a message of a contact is its person's, also where the same batch has just merged the contact", () => {
  const [first, second] = ["447700900001", "447700900002"];
  const joins = seen({ userId: "A.1", numbers: [second], atMs: 2_000 });
  const preference = { mode: "live", isStop: true, source: "word" } as const;
  const reply = seen({ account: "W2", userId: "A.2", sentTo: second, sentToName: second, atMs: 3_000, preference });
  const people = apply([[seen({ userId: "A.1", numbers: [first], atMs: 1_000 })], [joins, reply]], [first, second]);
  expect(people.map(({ preferences }) => preferences.live?.isStop)).toEqual([true]);
});

describe("two people", () => {
  const [N, M, P] = ["447700900001", "447700900002", "447700900003"];
  const moved = (atMs: number, from: Moved["from"], to: Moved["to"]): Moved => ({
    kind: "moved",
    account: "W1",
    from,
    to,
    atMs,
  });
  const ada = seen({ numbers: [N], userId: "A.1", atMs: 1_000 });
  const adaMoves = moved(5_000, { number: N, userId: "A.1" }, { number: M, userId: "A.2" });
  const bobAt = (atMs: number) => seen({ numbers: [N], userId: "B.1", atMs });

  test("stay two where messages of a number's next owner come in the wrong order", () => {
    expect(apply([[ada], [bobAt(9_000)], [bobAt(8_000)]], []).map(currentNames)).toEqual([[], [N, "B.1"]]);
  });

  test("never have one number, however many claim it and however late", () => {
    const late = seen({ numbers: [N], userId: "C.1", atMs: 4_000 });
    const people = apply([[ada], [adaMoves], [bobAt(9_000)], [late]], []);
    expect(people.map(({ phone }) => phone)).toEqual([M, N, null]);
  });

  test("stay two where the first is known by an id of an unknown account, as from before an update", () => {
    const first = contactOf("ct_9", N, 0);
    first.names.push({ ...contactOf("ct_9", "A.1", 0).names[0], account: "" } as never);
    expect(joinPeople([first], [bobAt(9_000)], ids()).people).toHaveLength(2);
  });

  test("stay two where the second answers a message to a number that the first had left", () => {
    const [first] = apply([[ada], [adaMoves]], []);
    if (!first) throw new Error("nobody");
    const answer = { ...bobAt(9_000), sentTo: first.id, sentToName: N };
    const people = joinPeople([first], [answer], () => "ct_9").people.map(currentNames);
    expect(people).toEqual([
      [M, "A.2"],
      [N, "B.1"],
    ]);
  });

  test("a person who moves twice within a second is under the last number", () => {
    const steps = [adaMoves, moved(5_000, { number: M, userId: "A.2" }, { number: P, userId: "A.3" })];
    for (const order of [steps, steps.toReversed()]) {
      const people = apply([[ada], ...order.map((one) => [one])], []);
      expect(people.map(currentNames)).toEqual([[P, "A.3"]]);
    }
  });
});
