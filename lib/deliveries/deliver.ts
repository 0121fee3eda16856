import { onEvents } from "@/lib/process/events-written";
import { errorFields, log } from "@/lib/process/log";
import { type Claimed, claimDeliveries, LEASE_SECONDS } from "./claim-deliveries";
import { outcomeOf } from "./outcome";
import { postDelivery } from "./post-delivery";
import { type Health, joinHealth, recordHealth } from "./record-health";
import { type Attempted, settleDeliveries } from "./settle-deliveries";

/** Attempts that a process has under way at once, to all endpoints. */
const MOST_UNDER_WAY = 512;
/** Above this, each endpoint gets one place, so that slow endpoints cannot starve the others. */
const SCARCE_FROM = 384;
/** Between two polls under load: what becomes due or is answered in it shares a statement. */
const STEP_MS = 20;
/** Between two polls without work: a retry is due, or another process has stored an event. */
const LOOK_EVERY_MS = 250;
/** The same in a deployment without endpoints. */
const LOOK_RARELY_MS = 2_000;
const AFTER_FAILURE_MS = 1_000;
/** For what is under way when the process stops; what is not answered by then is sent again by another. */
const STOP_WITHIN_MS = 1_500;
/** The longest attempt, and the statement that stores it. */
const ATTEMPT_MS = 15_500;

/** One loop over the outbox: it claims what is due, has it posted, and writes what came of it. */
const createCourier = () => {
  const underWay = new Map<string, { delivery: Claimed; count: number }>();
  const finished: Attempted[] = [];
  /** How endpoints did, where that is not written yet. */
  const reports: Health[] = [];
  let running = 0;
  let isStopping = false;
  let wake = () => {};
  let isAwake = false;
  let hasEndpoints = true;

  const busy = () =>
    [...underWay.values()].map(({ delivery: { workspaceId, endpointId }, count }) => ({
      workspaceId,
      endpointId,
      underWay: count,
    }));

  const start = (delivery: Claimed) => {
    const key = `${delivery.workspaceId}/${delivery.endpointId}`;
    const lane = underWay.get(key) ?? { delivery, count: 0 };
    lane.count += 1;
    underWay.set(key, lane);
    running += 1;
    void postDelivery(delivery).then((answer) => {
      finished.push({ delivery, answer, outcome: outcomeOf(delivery, answer, Math.random()) });
      lane.count -= 1;
      if (lane.count === 0) underWay.delete(key);
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

  /** Settles and claims once; returns how long nothing else need be looked for. */
  const step = async (): Promise<number> => {
    await settleFinished();
    if (isStopping || running >= MOST_UNDER_WAY) return LOOK_EVERY_MS;
    const room = { most: MOST_UNDER_WAY - running, isScarce: running >= SCARCE_FROM };
    const look = await claimDeliveries(busy(), room);
    hasEndpoints = look.hasEndpoints;
    for (const delivery of look.claimed) start(delivery);
    if (look.claimed.length > 0) rouse();
    return hasEndpoints ? LOOK_EVERY_MS : LOOK_RARELY_MS;
  };

  const settleFinished = async (): Promise<void> => {
    const settling = finished.splice(0);
    try {
      reports.push(...(await settleDeliveries(settling)));
    } catch (error) {
      // Once the lease is over the delivery is made again, whatever this attempt came to.
      finished.unshift(
        ...settling.filter(({ answer }) => Date.now() - answer.startedAt.getTime() < LEASE_SECONDS * 1_000),
      );
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
    while (running > 0 && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    await settleFinished();
  };

  /** Statuses were written. Without endpoints none of them is an event. */
  const eventsCame = () => {
    if (hasEndpoints) rouse();
  };

  return { loop, eventsCame, stop, isStopping: () => isStopping, isEmpty: () => running + finished.length === 0 };
};

/** Delivers while the process lives. Returns what stops it: within 2 s everything that was answered is written. */
export const startDelivering = (): (() => Promise<void>) => {
  const courier = createCourier();
  onEvents(courier.eventsCame);
  void courier.loop(courier.isStopping);
  return () => courier.stop();
};

/** Delivers what is due within `forMs`, where no process outlives a request: as a cron job does. */
export const deliverDue = async (forMs: number): Promise<void> => {
  const courier = createCourier();
  const untilMs = performance.now() + forMs;
  let looks = 0;
  await courier.loop(() => {
    looks += 1;
    return performance.now() > untilMs || (looks > 2 && courier.isEmpty());
  });
  await courier.stop(ATTEMPT_MS);
};
