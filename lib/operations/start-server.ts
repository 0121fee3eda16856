import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { announceSetUp } from "@/lib/auth/set-up-token";
import { EnvError, env } from "@/lib/core/env";
import { beforeStop } from "@/lib/core/front-door";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { writeWebhookCounts } from "@/lib/incoming/count-webhooks";
import { boundHostLookups } from "@/lib/media/host-lookup";
import { startDelivering } from "@/lib/outgoing/deliver";
import { flushRequests } from "@/lib/public-api/record-requests";
import { checkConnections } from "./check-database";
import { databaseFault, lastsUntilChanged } from "./database-fault";
import { sweep } from "./sweep";

const SWEEP_EVERY_MS = 30_000;

/**
 * Refuses to start on a wrong environment, a database that can never be used as it is, or an old schema. A database that
 * may come back is waited for: until then requests are answered 503.
 */
export async function prepareServer(): Promise<void> {
  requireEnvironment();
  boundHostLookups();
  await requireDatabase();
}

/** Begins what a server does beside its requests. */
export function startWork(): void {
  // On Vercel a function does not outlive its request; the cron route sweeps there.
  if (!env().VERCEL) {
    processWide("sweeper", startSweeper);
    beforeStop(processWide("delivering", startDelivering));
  }
  beforeStop(flushRequests);
  beforeStop(writeWebhookCounts);
}

/** Ends the process on a wrong environment, with a line for each fault. */
export function requireEnvironment(): void {
  try {
    env();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    process.stderr.write(`${error.message}\nEach variable is described in .env.example.\n`);
    process.exit(1);
  }
}

const requireDatabase = async () => {
  try {
    if (!(await onSql((sql) => isSchemaCurrent(sql)))) return refuseToStart(OLD_SCHEMA);
    const { state, words, advice } = await checkConnections();
    if (state !== "passed") log("warn", "start.connections", { words, advice });
    await announceSetUp();
  } catch (error) {
    const { words, advice } = databaseFault(error);
    if (lastsUntilChanged(error)) return refuseToStart(`DATABASE_URL cannot be used. ${words}. ${advice}`);
    log("warn", "start.database-away", { words, advice, ...errorFields(error) });
  }
};

const refuseToStart = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
};

/** The next pass is set when one has ended: on a slow database they must not pile up. */
const startSweeper = (): NodeJS.Timeout =>
  setTimeout(() => {
    sweep()
      .then((done) => {
        if (Object.values(done).some((count) => count > 0)) log("info", "sweep", done);
      })
      .catch((error: unknown) => log("warn", "sweep.failed", errorFields(error)))
      .finally(startSweeper);
  }, SWEEP_EVERY_MS).unref();
