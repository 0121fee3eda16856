import { setTimeout as sleep } from "node:timers/promises";
import { processWide } from "@/lib/core/process-wide";
import { onSql } from "./raw-sql";

/** Readers are told of a longer lag. */
export const SHOWN_LAG_SECONDS = 2;

const CHECK_MS = 700;
const CATCH_UP_MS = 150;

/** When the primary was asked for the last position that the replica then had. */
const caughtUp = processWide("replica-caught-up", () => ({ atMs: Number.NEGATIVE_INFINITY }));

/** The primary did not return its position, so the replica cannot be judged. */
export class PrimaryUnavailable extends Error {
  override readonly name = "PrimaryUnavailable";
}

/** Promoted, the primary itself, or the database of another deployment. */
export class NotStandby extends Error {
  override readonly name = "NotStandby";
}

type Primary = { cluster: string; timeline: number; database: string; end: string; now: number; askedAtMs: number };
type Replica = { isStandby: boolean; hasAll: boolean; replayedAt: number | null };

/**
 * Returns how old the replica's data may be. It never returns too little: the replica's own view of its lag is 0 as well
 * when it lost its connection, so it is compared with the primary. Rejects if it is no standby of it.
 */
export async function measureReplicaLag(): Promise<number> {
  const askedAtMs = performance.now();
  const [position] = await onSql(
    (sql) => sql<Omit<Primary, "askedAtMs">[]>`
      select system_identifier::text as cluster, timeline_id as timeline, current_database() as database,
        pg_current_wal_insert_lsn()::text as end, extract(epoch from clock_timestamp())::float8 as now
      from pg_control_system(), pg_control_checkpoint()`,
    { pool: "requests" },
  ).catch((error: unknown) => {
    throw new PrimaryUnavailable("the primary did not return its position", { cause: error });
  });
  if (!position) throw new Error("the database returned no position");
  const primary = { ...position, askedAtMs };
  const lagSeconds = await lagBehind(primary);
  if (lagSeconds <= SHOWN_LAG_SECONDS) return lagSeconds;
  // After an idle hour the last commit replayed is an hour old, although the next one is about to arrive.
  await sleep(CATCH_UP_MS);
  return lagBehind(primary);
}

/** Positions of different timelines cannot be compared: a standby that missed a promotion has data that the primary lacks. */
async function lagBehind({ cluster, timeline, database, end, now, askedAtMs }: Primary): Promise<number> {
  const [replica] = await onSql(
    (sql) => sql<Replica[]>`
      select pg_is_in_recovery() and system_identifier::text = ${cluster} and timeline_id = ${timeline}
          and current_database() = ${database} as "isStandby",
        coalesce(pg_last_wal_replay_lsn() >= ${end}::text::pg_lsn, false) as "hasAll",
        extract(epoch from pg_last_xact_replay_timestamp())::float8 as "replayedAt" from pg_control_system(), pg_control_checkpoint()`,
    { pool: "replica", timeoutMs: CHECK_MS },
  );
  if (!replica?.isStandby) throw new NotStandby("DATABASE_REPLICA_URL is not a standby of DATABASE_URL");
  if (replica.hasAll) caughtUp.atMs = askedAtMs;
  const sinceItHadAll = (askedAtMs - caughtUp.atMs) / 1_000;
  return Math.max(0, Math.min(sinceItHadAll, now - (replica.replayedAt ?? 0)));
}
