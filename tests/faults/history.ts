import type { MessageStatus, SendPhase } from "@/db/schema/messages";

/**
 * What one fault left behind. A recipient stands for one message that a client wants sent once, with one key: each has
 * a number of its own, so that a second send is seen even where it goes out under another row.
 */
export type History = {
  calls: PlatformCall[];
  /** Recipients of whom the servers have acknowledged a status webhook of an accepted message. */
  reported: string[];
  rows: MessageRow[];
  /** Every state that a row has had, in order. */
  changes: Change[];
  answers: ClientAnswer[];
  usedUnits: number;
  /** Every lease has run out and the sweeper has been: nothing has a reason to be pending. */
  isSwept: boolean;
};

export type PlatformCall = { recipient: string; messageId: string | null; isAccepted: boolean; atMs: number };

export type MessageRow = {
  id: string;
  recipient: string;
  phase: SendPhase;
  status: MessageStatus;
  ageSeconds: number;
};

export type Change = { id: string; attempt: number; phase: SendPhase; status: MessageStatus };

/** `status` 0: the connection broke. `isHung`: the client gave up waiting. */
export type ClientAnswer = {
  baseUrl: string;
  recipient: string;
  key: string;
  status: number;
  messageId: string | null;
  outcome: string | null;
  isHung: boolean;
  endedAtMs: number;
  ms: number;
};

export const INVARIANTS = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8"] as const;
export type Invariant = (typeof INVARIANTS)[number];
export type Violation = { invariant: Invariant; what: string };

const MAX_PENDING_SECONDS = 120;
const MAX_ANSWER_MS = 15_000;
const RANK = ["PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"];
const REFUSALS: readonly SendPhase[] = ["REFUSED", "REFUSED_RETRYABLE"];

/** Every way in which a history breaks the invariants of docs/reliability.md; none where it keeps them. */
export const checkHistory = (history: History): Violation[] =>
  INVARIANTS.flatMap((invariant) => RULES[invariant](history).map((what) => ({ invariant, what })));

/** Those invariants of which a history holds something to classify: no rule is kept where nothing could break it. */
export const judgedIn = (history: History): Invariant[] =>
  INVARIANTS.filter((invariant) => HAS_SUBJECT[invariant](history));

const HAS_SUBJECT: Record<Invariant, (history: History) => boolean> = {
  I1: ({ calls }) => calls.some(({ isAccepted }) => isAccepted),
  I2: ({ reported, answers }) => reported.length > 0 || answers.some(({ status }) => isGood(status)),
  I3: ({ rows, answers }) =>
    rows.some(({ phase }) => REFUSALS.includes(phase)) || answers.some(({ outcome }) => outcome === "not_sent"),
  I4: ({ rows, isSwept }) => rows.some(({ ageSeconds }) => isSwept || ageSeconds > MAX_PENDING_SECONDS),
  I5: ({ changes }) => hasTwice(changes.map(({ id, attempt }) => `${id} ${attempt}`)),
  I6: ({ answers }) => hasTwice(answers.filter(({ status }) => isGood(status)).map(({ key }) => key)),
  I7: ({ rows }) => rows.length > 0,
  I8: ({ answers }) => answers.length > 0,
};

const hasTwice = (names: string[]) => new Set(names).size < names.length;

const RULES: Record<Invariant, (history: History) => string[]> = {
  /** At most one acceptance of a message. */
  I1: ({ calls }) =>
    [...countAccepts(calls, ({ recipient }) => recipient), ...countAccepts(calls, ({ messageId }) => messageId)]
      .filter(([, count]) => count > 1)
      .map(([name, count]) => `${name} was accepted ${count} times`),

  /** What was accepted is known once its webhook came, and what was promised to a client exists. */
  I2: ({ calls, reported, rows, answers }) => {
    const accepted = new Set(calls.filter(({ isAccepted }) => isAccepted).map(({ recipient }) => recipient));
    const lost = reported.filter(
      (recipient) =>
        accepted.has(recipient) && !rows.some((row) => row.recipient === recipient && row.phase === "SENT"),
    );
    const ids = new Set(rows.map(({ id }) => id));
    const missing = answers.filter(({ status, messageId }) => isGood(status) && !ids.has(messageId ?? ""));
    return [
      ...lost.map((recipient) => `${recipient} was accepted and answered for, and no row says that it was sent`),
      ...missing.map(({ key, messageId }) => `${key} was answered with ${messageId}, which does not exist`),
    ];
  },

  /** Where we say that nothing was sent, nothing was. */
  I3: ({ calls, rows, answers }) => {
    const acceptedBy = (recipient: string, atMs: number) =>
      calls.some((call) => call.isAccepted && call.recipient === recipient && call.atMs <= atMs);
    const refused = rows.filter(
      ({ phase, recipient }) => REFUSALS.includes(phase) && acceptedBy(recipient, Number.POSITIVE_INFINITY),
    );
    const reported = answers.filter(
      ({ outcome, recipient, endedAtMs }) => outcome === "not_sent" && acceptedBy(recipient, endedAtMs),
    );
    return [
      ...refused.map(({ id, phase }) => `${id} is ${phase}, and WhatsApp accepted it`),
      ...reported.map(({ key }) => `${key} was answered not_sent after WhatsApp had accepted it`),
    ];
  },

  /** Nothing stays pending. */
  I4: ({ rows, isSwept }) =>
    rows
      .filter(({ status, ageSeconds }) => status === "PENDING" && (isSwept || ageSeconds > MAX_PENDING_SECONDS))
      .map(({ id, ageSeconds }) => `${id} is PENDING after ${isSwept ? "the sweep" : `${Math.round(ageSeconds)} s`}`),

  /** A status never falls within an attempt. A refusal that WhatsApp's own events contradict is taken back. */
  I5: ({ changes }) => {
    const last = new Map<string, Change>();
    return changes.flatMap((change) => {
      const before = last.get(change.id);
      last.set(change.id, change);
      if (!before || before.attempt !== change.attempt || rank(change) >= rank(before)) return [];
      if (REFUSALS.includes(before.phase) && change.phase === "SENT") return [];
      return [`${change.id} fell from ${before.status} to ${change.status}`];
    });
  },

  /** One key, one message. */
  I6: ({ answers }) => {
    const ids = new Map<string, Set<string>>();
    for (const { key, status, messageId } of answers) {
      if (isGood(status)) ids.set(key, (ids.get(key) ?? new Set()).add(messageId ?? "nothing"));
    }
    return [...ids]
      .filter(([, of]) => of.size > 1)
      .map(([key, of]) => `${key} was answered with ${[...of].join(", ")}`);
  },

  /** The plan counts what may have been sent, and nothing else. */
  I7: ({ rows, usedUnits }) => {
    const counted = rows.filter(({ phase }) => !REFUSALS.includes(phase)).length;
    return counted === usedUnits ? [] : [`${usedUnits} units are used, and ${counted} messages count`];
  },

  /** Every request is answered. */
  I8: ({ answers }) =>
    answers
      .filter(({ isHung, ms }) => isHung || ms > MAX_ANSWER_MS)
      .map(({ key, ms }) => `${key} waited ${Math.round(ms)} ms`),
};

const isGood = (status: number) => status >= 200 && status < 300;
const rank = ({ status }: Change) => RANK.indexOf(status);

const countAccepts = (calls: PlatformCall[], nameOf: (call: PlatformCall) => string | null): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const name = nameOf(call);
    if (call.isAccepted && name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
};
