import { EnvError, env } from "@/lib/core/env";
import { checkAddress } from "./check-address";
import { checkDatabase } from "./check-database";
import { checkLimiter } from "./check-limiter";
import { checkPlatform } from "./check-platform";
import { checkTokens, listStoredLines } from "./check-tokens";
import { type Finding, failed, passed } from "./finding";

/** Looks at everything that a deployment needs, in the order in which one thing rests on another. Writes nothing. */
export async function* examineDeployment(): AsyncGenerator<Finding> {
  const variables = checkVariables();
  yield* variables;
  if (variables.some(({ state }) => state === "failed")) return;
  const database = await checkDatabase();
  yield* database;
  const hasSchema = database.some(({ name, state }) => name === "schema" && state === "passed");
  const lines = hasSchema ? await listStoredLines() : undefined;
  yield* await checkLimiter();
  yield* await checkPlatform(lines?.some(({ mode }) => mode === "live") ?? true);
  yield* await checkAddress();
  if (lines) yield checkTokens(lines);
  yield checkSweeper();
}

const checkVariables = (): Finding[] => {
  try {
    env();
    return [passed("variables", "The variables are complete")];
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return error.faults.map((fault) => failed("variables", fault, "It is described in .env.example."));
  }
};

const checkSweeper = (): Finding => {
  const { VERCEL, CRON_SECRET } = env();
  if (!VERCEL) return passed("sweeper", "The server sweeps by itself");
  if (CRON_SECRET) return passed("sweeper", "CRON_SECRET is set for the scheduler of /api/cron/sweep");
  const words = "Without CRON_SECRET the scheduler is refused, and nothing settles what was left open";
  return failed("sweeper", words, "Set CRON_SECRET in the project’s variables.");
};
