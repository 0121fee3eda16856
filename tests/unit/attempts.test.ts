import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import type { NamedMessage } from "@/lib/messages/queries";
import { type Attempt, attemptOf, isInFlight, type Steps, sendOnce } from "@/lib/messages/send/attempts";

/** How the steps of one request go, in their order; after the last of a list all is well. */
type Plan = {
  body: "A" | "B";
  /** By its header the key is looked up before anything else, in its body by the claim. */
  isHeader: boolean;
  marksDispatch: boolean;
  /** Whether each preparing is refused. */
  refusals: boolean[];
  claims: ("done" | "unavailable" | "answer lost" | "no row seen")[];
  ends: End;
};
type End = "accepted" | "refused" | "throttled" | "unknown" | "dies before the mark" | "dies after the call";
type Change = "template" | "contact" | "lease over" | "sweep" | "purge";

const plan: fc.Arbitrary<Plan> = fc.record({
  body: fc.constantFrom("A", "A", "A", "B"),
  isHeader: fc.boolean(),
  marksDispatch: fc.boolean(),
  refusals: fc.array(fc.constantFrom(false, false, true), { maxLength: 2 }),
  claims: fc.array(fc.constantFrom("done", "done", "unavailable", "answer lost", "no row seen"), { maxLength: 2 }),
  ends: fc.constantFrom(
    "accepted",
    "refused",
    "throttled",
    "throttled",
    "unknown",
    "dies before the mark",
    "dies after the call",
  ),
});
const change = fc.constantFrom<Change>("template", "contact", "lease over", "sweep", "purge");

/** What a request did and got; one without an answer has died. */
type Request = {
  plan: Plan;
  calls: ("accepted" | "refused" | "unknown")[];
  /** Whether another request took over the row that it had, or was to take over. */
  hasLostRow: boolean;
  /** What the last look found. */
  found?: Attempt["kind"];
  answer?: { isReplay: boolean; message: Row } | { error: unknown };
  /** The row's version when a claim was lost last. */
  lostAt: number;
};
type Row = NamedMessage & { version: number; owner: number };
type Claim = { token: number; isDispatched: boolean };
type Prepared = { template: { isRecalled: boolean }; seen: { template: number; contact: number } };

class Unavailable extends Error {}
class Ended extends Error {}
const conflict = new AppError("IDEMPOTENCY_CONFLICT", "Another body.");
const heldBack = () => new AppError("CHAT_GRAPH_ERROR", "Held back.", { details: { outcome: "not_sent" } });
const never = new Promise<never>(() => {});

/** Whether a row may be taken over. */
const isFree = ({ phase, leaseExpiresAt, contentsRemovedAt }: NamedMessage) =>
  !contentsRemovedAt && (phase === "REFUSED_RETRYABLE" || (phase === "ACCEPTED" && leaseExpiresAt < new Date()));

/** The key's row in the database, with the guards of the product's statements; and what else may change at any time. */
class World {
  row: Row | undefined;
  now = { template: 0, contact: 0 };
  calls: { token: number; outcome: Request["calls"][number] }[] = [];
  #version = 0;

  read = (): Row | undefined => this.row && { ...this.row };

  write(some: Partial<Row>) {
    this.#version += 1;
    this.row = { ...(this.row ?? FIRST), ...some, version: this.#version };
  }

  insert(owner: number, { body, marksDispatch }: Plan, { template, seen }: Prepared): Claim | undefined {
    const isChanged = seen.contact !== this.now.contact || (template.isRecalled && seen.template !== this.now.template);
    if (this.row || isChanged) return undefined;
    this.write({ ...owned(marksDispatch), owner, fingerprint: Buffer.from(body) });
    return { token: 1, isDispatched: marksDispatch };
  }

  takeOver(owner: number, { marksDispatch }: Plan, { fencingToken }: NamedMessage): Claim | undefined {
    if (!this.row || this.row.fencingToken !== fencingToken || !isFree(this.row)) return undefined;
    this.write({ ...owned(marksDispatch), owner, fencingToken: fencingToken + 1 });
    return { token: fencingToken + 1, isDispatched: marksDispatch };
  }

  /** A write by the owner of `token` from one of the phases. */
  move(token: number, from: NamedMessage["phase"][], some: Partial<Row>, owner = this.row?.owner): boolean {
    const { row } = this;
    if (!row || row.fencingToken !== token || row.owner !== owner || !from.includes(row.phase)) return false;
    this.write(some);
    return true;
  }

  change(what: Change) {
    const { row } = this;
    if (what === "template" || what === "contact") this.now = { ...this.now, [what]: this.now[what] + 1 };
    if (!row) return;
    if (what === "lease over") this.write({ leaseExpiresAt: new Date(0) });
    if (what === "purge") this.write({ contentsRemovedAt: new Date() });
    if (what !== "sweep" || row.leaseExpiresAt > new Date()) return;
    if (row.phase === "ACCEPTED") this.write({ phase: "REFUSED_RETRYABLE" });
    if (row.phase === "DISPATCHING") this.write({ phase: "UNKNOWN" });
  }
}

const LATER = new Date(Date.now() + 3_600_000);
const owned = (marksDispatch: boolean) =>
  ({ phase: marksDispatch ? "DISPATCHING" : "ACCEPTED", leaseExpiresAt: LATER }) as const;
const FIRST: Row = {
  ...{ id: "msg_1", mode: "live", apiKeyId: "ak_1", phoneNumberId: "pn_1", contactId: "ct_1", phone: "447700900123" },
  ...{ templateName: null, phase: "ACCEPTED", status: "PENDING", fencingToken: 1, fingerprint: Buffer.from("A") },
  ...{ leaseExpiresAt: LATER, contentsRemovedAt: null, whatsappMessageId: null, failureReason: null, sentAt: null },
  ...{ deliveredAt: null, readAt: null, idempotencyKey: null, createdAt: new Date(), version: 0, owner: 0 },
};

/** Runs all requests at once, their steps and the changes in the scheduler's order. */
const runAll = async (scheduler: fc.Scheduler, plans: Plan[], changes: Change[]) => {
  const world = new World();
  const inTurn = <T>(act: () => T): Promise<T> => scheduler.schedule(Promise.resolve()).then(act);
  const requests = plans.map((one): Request => ({ plan: one, calls: [], hasLostRow: false, lostAt: 0 }));
  for (const [owner, one] of requests.entries()) {
    sendOnce(stepsOf(world, inTurn, one, owner)).then(
      (answer) => Object.assign(one, { answer }),
      (error: unknown) => Object.assign(one, { answer: { error } }),
    );
  }
  for (const what of changes) void inTurn(() => world.change(what));
  await scheduler.waitIdle();
  return { world, requests };
};

const stepsOf = (
  world: World,
  inTurn: <T>(act: () => T) => Promise<T>,
  one: Request,
  owner: number,
): Steps<Prepared, Claim, { isReplay: boolean; message: Row }> => {
  const { body, isHeader, ends } = one.plan;
  const [refusals, faults] = [[...one.plan.refusals], [...one.plan.claims]];

  const look = async (seen?: NamedMessage) => {
    for (let polls = 0, message = seen; ; polls++, message = undefined) {
      const attempt = attemptOf(message ?? (await inTurn(world.read)), Buffer.from(body));
      one.found = attempt.kind;
      if (!isInFlight(attempt) || polls === 2) return attempt;
    }
  };
  const act = (attempt: Attempt, prepared: Prepared): { claim?: Claim | undefined; earlier?: NamedMessage } => {
    if (attempt.kind === "new") {
      const earlier = isHeader || faults[0] === "no row seen" ? undefined : world.read();
      return { claim: world.insert(owner, one.plan, prepared), ...(earlier && { earlier }) };
    }
    if (attempt.kind !== "retry") throw new Error("nothing else is claimed");
    expect(isFree(attempt.message), "only a row that was not sent is taken over").toBe(true);
    expect(prepared.template.isRecalled, "a take-over checks no template").toBe(false);
    expect(one.hasLostRow, "a take-over is tried once").toBe(false);
    const claim = world.takeOver(owner, one.plan, attempt.message);
    one.hasLostRow ||= !claim;
    return { claim };
  };
  const die = async () => {
    if (world.row?.owner === owner) world.change("lease over");
    return never;
  };

  return {
    look,
    first: async () => {
      const named = isHeader ? await inTurn(world.read) : undefined;
      return named ? look(named) : { kind: "new" };
    },
    prepare: ({ recalls }) =>
      inTurn(() => {
        if (refusals.shift()) throw heldBack();
        const seen = { ...world.now, ...(recalls && { template: 0 }) };
        return { template: { isRecalled: recalls }, seen };
      }),
    claim: (attempt, prepared) =>
      inTurn(() => {
        if (faults[0] === "unavailable") throw new Unavailable();
        const claiming = act(attempt, prepared);
        const { claim } = claiming;
        if (!claim) one.lostAt = world.row?.version ?? 0;
        if (faults.shift() !== "answer lost") return claiming;
        if (claim?.isDispatched) {
          void inTurn(() => world.move(claim.token, ["DISPATCHING"], { phase: "REFUSED_RETRYABLE" }, owner));
        }
        throw new Unavailable();
      }),
    dispatch: async ({ token, isDispatched }) => {
      const isMarked =
        isDispatched ||
        (await inTurn(() => ends === "dies before the mark" || world.move(token, ["ACCEPTED"], owned(true))));
      if (ends === "dies before the mark") return die();
      one.hasLostRow ||= !isMarked;
      if (!isMarked) return { message: await inTurn(() => world.read() ?? FIRST), isReplay: true };
      const outcome = ends === "throttled" ? "refused" : ends === "dies after the call" ? "unknown" : ends;
      await inTurn(() => {
        one.calls.push(outcome);
        world.calls.push({ token, outcome });
      });
      if (ends === "dies after the call") return die();
      const message = await inTurn(() => {
        if (ends === "accepted") world.move(token, ["DISPATCHING", "UNKNOWN"], { phase: "SENT" });
        else if (ends === "unknown") world.move(token, ["DISPATCHING"], { phase: "UNKNOWN" });
        else
          world.move(token, ["DISPATCHING", "UNKNOWN"], {
            phase: ends === "refused" ? "REFUSED" : "REFUSED_RETRYABLE",
          });
        return world.read() ?? FIRST;
      });
      one.hasLostRow = message.fencingToken !== token;
      if (one.hasLostRow) return { message, isReplay: true };
      if (ends !== "accepted") throw new Ended(ends);
      return { message, isReplay: false };
    },
    replay: (message) => ({ message: message as Row, isReplay: true }),
    conflict: () => conflict,
  };
};

const expectTruth = (one: Request, { row }: World, changes: Change[]) => {
  const {
    answer,
    calls,
    plan: { body, ends },
  } = one;
  if (!answer) return expect(ends).toMatch(/^dies/);
  const isOwnBody = row !== undefined && Buffer.from(row.fingerprint).equals(Buffer.from(body));
  if ("message" in answer) {
    const { isReplay, message } = answer;
    expect(isOwnBody).toBe(true);
    if (!isReplay) return expect([calls, message.phase, ends]).toEqual([["accepted"], "SENT", "accepted"]);
    expect(calls.filter((outcome) => outcome !== "refused")).toEqual([]);
    expect(message.version, "the row as it was when the claim was lost, or later").toBeGreaterThanOrEqual(one.lostAt);
    if (!one.hasLostRow) expect(isFree(message), "what may be sent again is no replay").toBe(false);
    return;
  }
  const { error } = answer;
  if (error === conflict) return expect([isOwnBody, calls]).toEqual([false, []]);
  if (error instanceof Ended) return expect(calls).toEqual([error.message === "unknown" ? "unknown" : "refused"]);
  expect(calls).toEqual([]);
  if (error instanceof Unavailable) return;
  if (error instanceof AppError) {
    expect(["new", "retry"]).toContain(one.found);
    return expect(error.details.messageId).toBe(one.found === "retry" ? row?.id : undefined);
  }
  expect(error).toEqual(new Error("the key has no row after three lost claims"));
  expect(changes.filter((what) => what === "contact" || what === "template").length).toBeGreaterThanOrEqual(3);
};

describe("requests with one idempotency key, in every order of their steps", () => {
  test("make at most one call that was not refused, and each answer is what happened", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(plan, { minLength: 1, maxLength: 5 }),
        fc.array(change, { maxLength: 5 }),
        async (scheduler, plans, changes) => {
          const { world, requests } = await runAll(scheduler, plans, changes);
          const { calls } = world;
          expect(calls.filter(({ outcome }) => outcome !== "refused").length).toBeLessThanOrEqual(1);
          expect(new Set(calls.map(({ token }) => token)).size, "one call of each owner").toBe(calls.length);
          for (const one of requests) expectTruth(one, world, changes);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
