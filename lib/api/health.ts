import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { AppError } from "@/lib/core/app-error";
import { frontDoor } from "@/lib/core/own-server";
import { errorAnswer } from "@/lib/http/api-route";
import { type Answer, jsonAnswer } from "@/lib/http/call";
import { lastSweepSeconds } from "@/lib/messages/send/sweep-queries";

const RETRY_AFTER_SECONDS = 5;
/** A balancer waits for a second; the age is said where it comes in time. */
const SWEEP_AGE_MS = 500;

/** Returns 200 as long as the process answers; no outage of another part makes a supervisor restart it. */
export async function checkAlive(): Promise<Answer> {
  const door = frontDoor();
  const pages = door?.pagesState?.();
  return jsonAnswer({ status: door?.isDraining?.() ? "draining" : "ok", ...(pages ? { pages } : {}) });
}

/**
 * Returns whether this server should get traffic, with the state of each part: 200, or 503 while it drains and while
 * the database or its schema cannot serve. Pages may be "starting" or "busy" in a 200: the API works without them.
 * `lastSweepSeconds` is the age of the last sweep: on Vercel a scheduler that never calls shows here.
 */
export async function checkReady({ requestId }: { requestId: string }): Promise<Answer> {
  const door = frontDoor();
  const [isCurrent, seconds] = await Promise.all([
    onSql(isSchemaCurrent, { isProbe: true }).catch(() => undefined),
    lastSweepSeconds({ isProbe: true, timeoutMs: SWEEP_AGE_MS }).catch(() => null),
  ]);
  const parts = {
    api: door?.isDraining?.() ? "draining" : "ok",
    database: isCurrent === undefined ? "unavailable" : "ok",
    schema: isCurrent === undefined ? "unknown" : isCurrent ? "ok" : "old",
    pages: door?.pagesState?.() ?? "ok",
  };
  const fault = faultOf(parts);
  if (!fault) {
    return jsonAnswer({
      status: "ready",
      ...parts,
      lastSweepSeconds: seconds === null ? null : Math.round(seconds),
    });
  }
  const details = { ...parts, retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return errorAnswer(new AppError("SERVICE_UNAVAILABLE", fault, { details }), requestId);
}

function faultOf({ api, database, schema }: Record<"api" | "database" | "schema", string>): string | undefined {
  if (api !== "ok") return "This server is stopping. Send to another one; calls that reach it are still served.";
  if (database !== "ok") return "The database does not respond. The server's log says why.";
  return schema === "ok" ? undefined : OLD_SCHEMA;
}
