import { onEvents } from "@/lib/core/events-written";
import { errorFields, log } from "@/lib/core/log";
import { type Claimed, claimDeliveries } from "./claim-deliveries";
import { outcomeOf } from "./outcome";
import { type Busy, SLOW_MS } from "./places";
import { postDelivery } from "./post-delivery";
import { type Health, joinHealth, recordHealth } from "./record-health";
import { renewLeases } from "./renew-leases";
import { type Attempted, settleDeliveries } from "./settle-deliveries";

/** Between two polls under load: what becomes due or is answered in it shares a statement. */
const STEP_MS = 20;
/** Between two polls without work: a retry is due, or another process has stored an event. Slow endpoints are asked no oftener. */
const LOOK_EVERY_MS = 250;
/** The same in a deployment without endpoints. */
const LOOK_RARELY_MS = 2_000;
const AFTER_FAILURE_MS = 1_000;
/** A lease has two more tries then. Those of half that age are renewed with it: one statement now and then, not one for each. */
const RENEW_AFTER_MS = 2_500;
/** An outcome that cannot be written for so long is dropped: its delivery is sent again. */
const KEEP_OUTCOME_MS = 60_000;
/** For what is under way when the process stops; what is not answered by then is sent again by another. */
const STOP_WITHIN_MS = 1_500;
/** The longest attempt, and the statement that stores it. */
const ATTEMPT_MS = 15_500;

/** A delivery that this process has leased, until its outcome is written. */
type Leased = { delivery: Claimed; startedAtMs: number; renewedAtMs: number; isAnswered: boolean };

/** One loop over the outbox: it claims what is due, has it posted, and writes the outcomes. */
const createCourier = () => {
  const leased = new Map<string, Leased>();
  const finished: Attempted[] = [];
  /** How endpoints did, where that is not written yet. */
  const reports: Health[] = [];
  let running = 0;
  let isStopping = false;
  let wake = () => {};
  let isAwake = false;
  let hasEndpoints = true;
  let slowAskedAtMs = Number.NEGATIVE_INFINITY;

  const start = (delivery: Claimed) => {
    const nowMs = performance.now();
    const lease: Leased = { delivery, startedAtMs: nowMs, renewedAtMs: nowMs, isAnswered: false };
    leased.set(keyOf(delivery), lease);
    running += 1;
    void postDelivery(delivery).then((answer) => {
      finished.push({ delivery, answer, outcome: outcomeOf(delivery, answer, Math.random()) });
      lease.isAnswered = true;
      running -= 1;
      rouse();
    });
  };

  const rouse = () => {
    isAwake = true;
    wake();
  };

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isAwake) wake();
    });

  /** Settles, renews and claims once; returns how long nothing else need be looked for. */
  const step = async (): Promise<number> => {
    await settleFinished();
    // Before a claim: what this process has under way must not look as if its process had died.
    await renew();
    if (isStopping) return LOOK_EVERY_MS;
    const nowMs = performance.now();
    const withSlow = running === 0 || nowMs - slowAskedAtMs >= LOOK_EVERY_MS;
    if (withSlow) slowAskedAtMs = nowMs;
    const look = await claimDeliveries({ busy: busyOf(leased.values(), nowMs), withSlow }, (due) =>
      leased.has(keyOf(due)),
    );
    hasEndpoints = look.hasEndpoints;
    for (const delivery of look.claimed) start(delivery);
    if (look.claimed.length + look.moved > 0) rouse();
    return hasEndpoints ? LOOK_EVERY_MS : LOOK_RARELY_MS;
  };

  const settleFinished = async (): Promise<void> => {
    const settling = finished.splice(0);
    const keep = (unsettled: readonly Attempted[]) => {
      const kept = unsettled.filter(({ answer }) => Date.now() - answer.startedAt.getTime() < KEEP_OUTCOME_MS);
      finished.unshift(...kept);
      const keys = new Set(kept.map(({ delivery }) => keyOf(delivery)));
      for (const { delivery } of settling) if (!keys.has(keyOf(delivery))) leased.delete(keyOf(delivery));
    };
    try {
      const settled = await settleDeliveries(settling);
      reports.push(...settled.reports);
      keep(settled.locked);
    } catch (error) {
      keep(settling);
      throw error;
    }
    const writing = joinHealth(reports.splice(0));
    try {
      reports.push(...(await recordHealth(writing)));
    } catch (error) {
      reports.push(...writing);
      throw error;
    }
  };

  const renew = async (): Promise<void> => {
    const nowMs = performance.now();
    const agesMs = [...leased.values()].map((lease) => ({ lease, ms: nowMs - lease.renewedAtMs }));
    if (!agesMs.some(({ ms }) => ms >= RENEW_AFTER_MS)) return;
    const old = agesMs.filter(({ ms }) => ms >= RENEW_AFTER_MS / 2).map(({ lease }) => lease);
    await renewLeases(old.map(({ delivery }) => delivery));
    for (const one of old) one.renewedAtMs = nowMs;
  };

  const loop = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      isAwake = false;
      const restMs = await step().catch((error: unknown) => {
        log("warn", "deliveries.failed", errorFields(error));
        return AFTER_FAILURE_MS;
      });
      await new Promise((resolve) => setTimeout(resolve, STEP_MS).unref());
      if (isOver()) return;
      await rest(restMs);
    }
  };

  const stop = async (withinMs = STOP_WITHIN_MS): Promise<void> => {
    isStopping = true;
    rouse();
    const untilMs = performance.now() + withinMs;
    while (running > 0 && performance.now() < untilMs) {
      await renew().catch((error: unknown) => log("warn", "deliveries.failed", errorFields(error)));
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    await settleFinished();
  };

  /** Statuses were written. Without endpoints none of them is an event. */
  const eventsCame = () => {
    if (hasEndpoints) rouse();
  };

  return { loop, eventsCame, stop, isStopping: () => isStopping, isEmpty: () => running + finished.length === 0 };
};

const keyOf = ({ workspaceId, id }: { workspaceId: string; id: string }): string => `${workspaceId}/${id}`;

/** What each endpoint holds. One that has kept an attempt waiting is slow, whatever its answers were. */
const busyOf = (leased: Iterable<Leased>, nowMs: number): Busy[] => {
  const busy = new Map<string, Busy>();
  for (const { delivery, startedAtMs, isAnswered } of leased) {
    if (isAnswered) continue;
    const { workspaceId, endpointId, pace, isRefused } = delivery;
    const key = `${workspaceId}/${endpointId}`;
    const known = busy.get(key) ?? { workspaceId, endpointId, pace, underWay: 0, refused: 0 };
    if (isRefused) known.refused += 1;
    else known.underWay += 1;
    if (nowMs - startedAtMs >= SLOW_MS) known.pace = "slow";
    else if (known.pace !== "slow") known.pace = pace;
    busy.set(key, known);
  }
  return [...busy.values()];
};

/** Delivers while the process lives. Returns what stops it: within 2 s everything that was answered is written. */
export function startDelivering(): () => Promise<void> {
  const courier = createCourier();
  onEvents(courier.eventsCame);
  void courier.loop(courier.isStopping);
  return () => courier.stop();
}

/** Delivers what is due within `forMs`, where no process outlives a request: as a cron job does. */
export async function deliverDue(forMs: number): Promise<void> {
  const courier = createCourier();
  const untilMs = performance.now() + forMs;
  let looks = 0;
  await courier.loop(() => {
    looks += 1;
    return performance.now() > untilMs || (looks > 2 && courier.isEmpty());
  });
  await courier.stop(ATTEMPT_MS);
}
