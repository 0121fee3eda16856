import { onSql } from "@/db/raw-sql";
import { canKeepFunctionAlive, DueWork, keepFunctionAlive, onQueued } from "@/lib/core/due-work";
import { errorFields, log } from "@/lib/core/log";
import { count } from "@/lib/core/telemetry";
import { type Claimed, claimDeliveries, LEASE_SECONDS, lockedByKey } from "./claim-deliveries";
import { outcomeOf } from "./outcome";
import { postDelivery } from "./post-delivery";
import { type Health, joinHealth, recordHealth } from "./record-health";
import { type Attempted, settleDeliveries } from "./settle-deliveries";
import { type Busy, SLOW_MS } from "./slots";

/** Between two polls under load, to batch what becomes due or is answered meanwhile. */
const STEP_MS = 20;
/** Between two polls when idle, for due retries and other processes' events; the minimum for slow endpoints. */
const POLL_INTERVAL_MS = 250;
/** The same in a deployment without endpoints. */
const IDLE_POLL_INTERVAL_MS = 2_000;
const AFTER_FAILURE_MS = 1_000;
/** Leaves two more tries before a lease ends. Leases of half this age are renewed with it, to batch statements. */
const RENEW_AFTER_MS = 2_500;
/** An outcome that cannot be written for this long is dropped, and its delivery is sent again. */
const KEEP_OUTCOME_MS = 60_000;
/** Grace period for attempts in flight at shutdown; another process repeats those without a response. */
const STOP_WITHIN_MS = 1_500;
/** How long a process delivers after a request; the sweeper's next pass delivers the rest. */
const AFTER_REQUEST_MS = 10_000;
/** The longest attempt, and the statement that stores it. */
const ATTEMPT_MS = 15_500;

/** A delivery that this process has leased, until its outcome is written. */
type Leased = { delivery: Claimed; startedAtMs: number; renewedAtMs: number; isAnswered: boolean };

/** Creates a loop over the outbox: claims due deliveries, posts them, and writes the outcomes. */
function createDeliveryLoop() {
  const leased = new Map<string, Leased>();
  const finished: Attempted[] = [];
  /** Endpoint health that is not written yet. */
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
      const outcome = outcomeOf(delivery, answer, Math.random());
      count("switchboard_delivery_attempts_total", { outcome: outcome.state });
      finished.push({ delivery, answer, outcome });
      lease.isAnswered = true;
      running -= 1;
      wakeUp();
    });
  };

  const wakeUp = () => {
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

  /** Settles, renews and claims once. Returns how long to wait before the next step. */
  const step = async (): Promise<number> => {
    await settleFinished();
    // Before claiming, so that our own leases do not look abandoned.
    await renew();
    if (isStopping) return POLL_INTERVAL_MS;
    const nowMs = performance.now();
    const withSlow = running === 0 || nowMs - slowAskedAtMs >= POLL_INTERVAL_MS;
    if (withSlow) slowAskedAtMs = nowMs;
    const look = await claimDeliveries({ busy: loadByEndpoint(leased.values(), nowMs), withSlow }, (due) =>
      leased.has(keyOf(due)),
    );
    hasEndpoints = look.hasEndpoints;
    for (const delivery of look.claimed) start(delivery);
    if (look.claimed.length + look.moved > 0) wakeUp();
    return hasEndpoints ? POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS;
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
    wakeUp();
    const untilMs = performance.now() + withinMs;
    while (running > 0 && performance.now() < untilMs) {
      await renew().catch((error: unknown) => log("warn", "deliveries.failed", errorFields(error)));
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    await settleFinished();
  };

  /** Called after statuses were written. Without endpoints they cause no deliveries. */
  const onEventsWritten = () => {
    if (hasEndpoints) wakeUp();
  };

  return {
    loop,
    onEventsWritten,
    stop,
    isStopping: () => isStopping,
    isEmpty: () => running + finished.length === 0,
    hasEndpoints: () => hasEndpoints,
  };
}

const keyOf = ({ workspaceId, id }: { workspaceId: string; id: string }): string => `${workspaceId}/${id}`;

/** Returns each endpoint's load. One with a long-running attempt counts as slow, whatever its past responses. */
function loadByEndpoint(leased: Iterable<Leased>, nowMs: number): Busy[] {
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
}

/** Delivers until stopped. The returned function stops it, and writes all outcomes received so far within 2 s. */
export function startDelivering(): () => Promise<void> {
  const deliveryLoop = createDeliveryLoop();
  onQueued("deliveries", deliveryLoop.onEventsWritten);
  void deliveryLoop.loop(deliveryLoop.isStopping);
  return () => deliveryLoop.stop();
}

/**
 * For platforms that stop a process with its response: delivers what a request has caused while the platform keeps the
 * process alive for it. What is left, such as retries, waits for the cron job.
 */
export function deliverAfterRequests(): void {
  const deliverOnce = async () => {
    await deliverDue(AFTER_REQUEST_MS);
    return false;
  };
  const work = new DueWork(deliverOnce, { most: 1, failure: "deliveries.failed" });
  onQueued("deliveries", () => {
    if (canKeepFunctionAlive()) keepFunctionAlive(work.run());
  });
}

/** Delivers what is due, for up to `forMs`: for cron jobs on platforms without a long-running process. */
export async function deliverDue(forMs: number): Promise<void> {
  const deliveryLoop = createDeliveryLoop();
  const untilMs = performance.now() + forMs;
  let looks = 0;
  await deliveryLoop.loop(() => {
    looks += 1;
    return (
      performance.now() > untilMs ||
      (looks > 2 && deliveryLoop.isEmpty()) ||
      (looks > 1 && !deliveryLoop.hasEndpoints())
    );
  });
  await deliveryLoop.stop(ATTEMPT_MS);
}

/**
 * Renews the leases of deliveries in flight, so that no other process sends them. A lease that expired while the
 * database was unavailable is renewed, too, unless another process has claimed it since. Throws DatabaseUnavailable.
 */
export async function renewLeases(
  deliveries: readonly Pick<Claimed, "workspaceId" | "id" | "number">[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ workspaceId, id, number }) => ({ workspace_id: workspaceId, id, number }));
  await onSql(
    (sql) => sql`
      with own as materialized (
        select mine.workspace_id, mine.id
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as mine (workspace_id text, id text, number int)
        cross join lateral (${lockedByKey(sql, "mine.id")}) d
        where d.attempts = mine.number and d.state = 'PENDING' and d.leased_until is not null
        limit ${rows.length}::int
      )
      update webhook_deliveries d
      set next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS}),
        leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from own where d.workspace_id = own.workspace_id and d.id = own.id`,
    { pool: "deliveries" },
  );
}
