import { DatabaseUnavailable, poolLoads } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { flushRequests } from "@/lib/api/log/record-requests";
import { announceSetUp } from "@/lib/auth/set-up-token";
import { onQueued } from "@/lib/core/due-work";
import { EnvError, env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { beforeStop, startFault } from "@/lib/core/own-server";
import { gauge } from "@/lib/core/telemetry";
import { refuseToStart } from "@/lib/http/stop";
import { writeWebhookCounts } from "@/lib/incoming/count-webhooks";
import { deliverAfterRequests, startDelivering } from "@/lib/outgoing/deliver";
import { wakeReaders } from "@/lib/templates/run-due-reads";
import { checkCompiling, checkConnections } from "./check-database";
import { checkZones } from "./check-zones";
import { databaseFault, isPermanentFault } from "./database-fault";
import { wakeMailer } from "./send-mails";
import { sweep } from "./sweep";

const SWEEP_EVERY_MS = 30_000;
const LOOK_AGAIN_MS = 5_000;

/**
 * Refuses to start with an unusable database or an old schema. Waits for a database that is only unavailable; until
 * then requests get a 503.
 */
export async function prepareServer(): Promise<void> {
  const fault = await findDatabaseFault();
  if (fault) refuseToStart(fault);
}

/**
 * Prepares a process that a host such as Vercel runs, and that must not exit: returns whether its environment is valid.
 * With an old schema, whatever needs the database gets a 503 until `npm run db:migrate` has run; the rest is served.
 */
export async function prepareHosted(): Promise<boolean> {
  try {
    env();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    startFault.environment = error.message;
    console.error(error.message);
    return false;
  }
  const fault = await findDatabaseFault();
  if (fault) log("error", "start.database", { message: fault });
  if (fault === OLD_SCHEMA) startFault.requireDatabase = awaitSchema();
  return true;
}

function awaitSchema() {
  let lookAtMs = performance.now() + LOOK_AGAIN_MS;
  return async () => {
    if (performance.now() >= lookAtMs) {
      lookAtMs = performance.now() + LOOK_AGAIN_MS;
      if (await onSql(isSchemaCurrent, { isProbe: true })) return void delete startFault.requireDatabase;
      log("error", "start.database", { message: OLD_SCHEMA });
    }
    throw new DatabaseUnavailable(OLD_SCHEMA, { hadNoEffect: true });
  };
}

/** Starts the server's background work. */
export function startWork(): void {
  gauge("switchboard_pool_work", "Work on the database by pool: at most, now, and waiting.", ["pool", "state"], () =>
    poolLoads().flatMap(({ pool, ...load }) =>
      Object.entries(load).map(([state, value]) => ({ value, labels: { pool, state } })),
    ),
  );
  onQueued("templateReads", wakeReaders);
  onQueued("mails", wakeMailer);
  // On Vercel a function does not outlive its request; the cron route sweeps there.
  if (env().VERCEL) deliverAfterRequests();
  else {
    startSweeper();
    beforeStop(startDelivering());
  }
  beforeStop(flushRequests);
  beforeStop(writeWebhookCounts);
}

/** Exits if the environment is invalid, with a line for each fault. */
export function requireEnvironment(): void {
  try {
    env();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    refuseToStart(`${error.message}\nEach variable is described in .env.example.`);
  }
}

/** Returns a fault that lasts until the operator acts. */
async function findDatabaseFault(): Promise<string | undefined> {
  try {
    if (!(await onSql(isSchemaCurrent))) return OLD_SCHEMA;
    for (const { state, words, advice } of [await checkConnections(), ...(await checkCompiling())])
      if (state !== "passed") log("warn", "start.connections", { words, advice });
    const zones = await checkZones();
    if (zones.state !== "passed") log("warn", "start.time-zones", { words: zones.words, advice: zones.advice });
    await announceSetUp();
  } catch (error) {
    const { words, advice } = databaseFault(error);
    if (isPermanentFault(error)) return `DATABASE_URL cannot be used. ${words}. ${advice}`;
    log("warn", "start.database-away", { words, advice, ...errorFields(error) });
    announceSetUpLater();
  }
  return undefined;
}

/** Once the database is there. */
const announceSetUpLater = (): NodeJS.Timeout =>
  setTimeout(() => void announceSetUp().catch(announceSetUpLater), LOOK_AGAIN_MS).unref();

/** Schedules the next pass after each one ends, so that they do not pile up on a slow database. */
const startSweeper = (): NodeJS.Timeout =>
  setTimeout(() => {
    sweep()
      .then((done) => {
        if (Object.values(done).some((count) => count > 0)) log("info", "sweep", done);
      })
      .catch((error: unknown) => log("warn", "sweep.failed", errorFields(error)))
      .finally(startSweeper);
  }, SWEEP_EVERY_MS).unref();
