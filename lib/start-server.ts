import { onDatabase } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { EnvError, env } from "@/lib/env";
import { beforeStop, openFrontDoor } from "@/lib/front-door";
import { errorFields, log } from "@/lib/log";
import { processWide } from "@/lib/process-wide";
import { flushRequests } from "@/lib/requests/record-requests";
import { sweep } from "@/lib/sweeper/sweep";
import { announceSetUp } from "@/lib/users/set-up-token";
import { writeWebhookCounts } from "@/lib/webhooks/count-webhooks";

const SWEEP_EVERY_MS = 30_000;

/** Refuses to start on a wrong environment or an old schema, with every fault; then sweeps while the server runs. */
export const startServer = async (): Promise<void> => {
  try {
    env();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    process.stderr.write(`${error.message}\nEach variable is described in .env.example.\n`);
    process.exit(1);
  }
  await requireCurrentSchema();
  // On Vercel a function does not outlive its request; the cron route sweeps there.
  if (!env().VERCEL) processWide("sweeper", startSweeper);
  quietUnknownActions();
  beforeStop(flushRequests);
  beforeStop(writeWebhookCounts);
  openFrontDoor();
};

/** Next writes a stack for an action's id that somebody made up, or that a page of the last release still holds. */
const quietUnknownActions = () => {
  const warn = console.warn;
  console.warn = (...words: unknown[]) => {
    const [first] = words;
    if (first instanceof Error && /^(Failed to find Server Action|The Server Reference ID)/.test(first.message))
      return log("info", "action.unknown");
    warn(...words);
  };
};

const requireCurrentSchema = async () => {
  try {
    if (await onDatabase(({ $client }) => isSchemaCurrent($client))) return await announceSetUp();
  } catch (error) {
    log("warn", "start.database-away", errorFields(error));
    return;
  }
  process.stderr.write(`${OLD_SCHEMA}\n`);
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
