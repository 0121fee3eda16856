import { setTimeout as sleep } from "node:timers/promises";
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

class Leases {
  private readonly held = new Map<string, Leased>();

  take(delivery: Claimed): Leased {
    const nowMs = performance.now();
    const leased = { delivery, startedAtMs: nowMs, renewedAtMs: nowMs, isAnswered: false };
    this.held.set(keyOf(delivery), leased);
    return leased;
  }

  has(delivery: Key): boolean {
    return this.held.has(keyOf(delivery));
  }

  end(delivery: Key): void {
    this.held.delete(keyOf(delivery));
  }

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  get areAnswered(): boolean {
    return [...this.held.values()].every(({ isAnswered }) => isAnswered);
  }

  async renew(): Promise<void> {
    const nowMs = performance.now();
    const olderThan = (ms: number) => [...this.held.values()].filter((one) => nowMs - one.renewedAtMs >= ms);
    if (olderThan(RENEW_AFTER_MS).length === 0) return;
    const old = olderThan(RENEW_AFTER_MS / 2);
    await renewLeases(old.map(({ delivery }) => delivery));
    for (const one of old) one.renewedAtMs = nowMs;
  }

  /** Returns each endpoint's load. One with a long-running attempt counts as slow, whatever its past responses. */
  load(nowMs: number): Busy[] {
    const busy = new Map<string, Busy>();
    for (const { delivery, startedAtMs, isAnswered } of this.held.values()) {
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
}

type Key = { workspaceId: string; id: string };

const keyOf = ({ workspaceId, id }: Key): string => `${workspaceId}/${id}`;

/** Outcomes and endpoint health that are not written yet. */
class Unwritten {
  private readonly outcomes: Attempted[] = [];
  private readonly reports: Health[] = [];

  constructor(private readonly leases: Leases) {}

  add(attempted: Attempted): void {
    this.outcomes.push(attempted);
  }

  async write(): Promise<void> {
    await this.writeOutcomes();
    await this.writeHealth();
  }

  private async writeOutcomes(): Promise<void> {
    const settling = this.outcomes.splice(0);
    let unsettled: readonly Attempted[] = settling;
    try {
      const { reports, locked } = await settleDeliveries(settling);
      this.reports.push(...reports);
      unsettled = locked;
    } finally {
      const kept = unsettled.filter(({ answer }) => Date.now() - answer.startedAt.getTime() < KEEP_OUTCOME_MS);
      this.outcomes.unshift(...kept);
      for (const one of settling) if (!kept.includes(one)) this.leases.end(one.delivery);
    }
  }

  private async writeHealth(): Promise<void> {
    const writing = joinHealth(this.reports.splice(0));
    let unwritten = writing;
    try {
      unwritten = await recordHealth(writing);
    } finally {
      this.reports.push(...unwritten);
    }
  }
}

/** A rest that can be ended early, also before it has begun. */
class Rest {
  private isOver = false;
  private end = () => {};

  /** Forgets earlier calls of `wake`. */
  renew(): void {
    this.isOver = false;
  }

  wake(): void {
    this.isOver = true;
    this.end();
  }

  upTo(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.isOver) this.end();
    });
  }
}

/** Works on the outbox: claims due deliveries, posts them, and writes the outcomes. */
class DeliveryLoop {
  private readonly leases = new Leases();
  private readonly unwritten = new Unwritten(this.leases);
  private readonly rest = new Rest();
  private slowAskedAtMs = Number.NEGATIVE_INFINITY;
  isStopping = false;
  hasEndpoints = true;

  get isEmpty(): boolean {
    return this.leases.isEmpty;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.rest.renew();
      const restMs = await this.step().catch((error: unknown) => {
        log("warn", "deliveries.failed", errorFields(error));
        return AFTER_FAILURE_MS;
      });
      await sleep(STEP_MS, undefined, { ref: false });
      if (isOver()) return;
      await this.rest.upTo(restMs);
    }
  }

  /** Settles, renews and claims once. Returns how long to wait before the next step. */
  private async step(): Promise<number> {
    await this.unwritten.write();
    // Before claiming, so that our own leases do not look abandoned.
    await this.leases.renew();
    if (this.isStopping) return POLL_INTERVAL_MS;
    const nowMs = performance.now();
    const withSlow = this.leases.areAnswered || nowMs - this.slowAskedAtMs >= POLL_INTERVAL_MS;
    if (withSlow) this.slowAskedAtMs = nowMs;
    const look = await claimDeliveries({ busy: this.leases.load(nowMs), withSlow }, (due) => this.leases.has(due));
    this.hasEndpoints = look.hasEndpoints;
    for (const delivery of look.claimed) void this.attempt(delivery);
    if (look.claimed.length + look.moved > 0) this.rest.wake();
    return this.hasEndpoints ? POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS;
  }

  private async attempt(delivery: Claimed): Promise<void> {
    const leased = this.leases.take(delivery);
    const answer = await postDelivery(delivery);
    const outcome = outcomeOf(delivery, answer, Math.random());
    count("switchboard_delivery_attempts_total", { outcome: outcome.state });
    this.unwritten.add({ delivery, answer, outcome });
    leased.isAnswered = true;
    this.rest.wake();
  }

  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    this.isStopping = true;
    this.rest.wake();
    const untilMs = performance.now() + withinMs;
    while (!this.leases.areAnswered && performance.now() < untilMs) {
      await this.leases.renew().catch((error: unknown) => log("warn", "deliveries.failed", errorFields(error)));
      await sleep(STEP_MS);
    }
    await this.unwritten.write();
  }

  /** Called after statuses were written. Without endpoints they cause no deliveries. */
  onEventsWritten(): void {
    if (this.hasEndpoints) this.rest.wake();
  }
}

/** Delivers until stopped. The returned function stops it, and writes all outcomes received so far within 2 s. */
export function startDelivering(): () => Promise<void> {
  const loop = new DeliveryLoop();
  onQueued("deliveries", () => loop.onEventsWritten());
  void loop.run(() => loop.isStopping);
  return () => loop.stop();
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
  const loop = new DeliveryLoop();
  const untilMs = performance.now() + forMs;
  let looks = 0;
  await loop.run(() => {
    looks += 1;
    return performance.now() > untilMs || (looks > 2 && loop.isEmpty) || (looks > 1 && !loop.hasEndpoints);
  });
  await loop.stop(ATTEMPT_MS);
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
