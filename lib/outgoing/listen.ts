import { isNotNull, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { MAX_ENDPOINTS, MAX_LISTENERS, webhookEndpoints } from "@/db/schema";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import type { WorkspaceId } from "@/lib/core/principal";
import { NotSent } from "@/lib/outgoing/events/event-resource";
import { EVENT_TYPES } from "@/lib/outgoing/events/event-types";
import { command } from "@/lib/workspaces/record-audit";
import { deleteEndpoint } from "./change-endpoint";
import { type Claimed, claimDeliveries } from "./claim-deliveries";
import { type CreatedEndpoint, insertEndpoint } from "./create-endpoint";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";
import { outcomeOf, readRetryAfter } from "./outcome";
import { type ListenRequest, MAX_FORWARDED } from "./read-listen-request";
import { recordHealth } from "./record-health";
import { type Attempted, settleDeliveries } from "./settle-deliveries";
import { listenerSecret, type SignedRequest, signedRequest } from "./signed-request";

/** The response to a `listen` poll; the first one includes `secret`. */
export type Listening = {
  listener: string;
  secret?: string;
  /** Why nothing is sent to it. */
  pausedBy: "member" | "gone" | "failing" | null;
  deliveries: ({ id: string; attempt: number } & SignedRequest)[];
};

/**
 * Handles one poll of a `listen` session: stores what it has forwarded and returns what is due. A delivery is
 * claimed, retried and stored as if it were posted. Throws NOT_FOUND where the session has ended.
 */
export async function listen(
  workspaceId: WorkspaceId,
  { apiKeyId, ...request }: ListenRequest & { apiKeyId: string },
): Promise<Listening> {
  const { listener: id, underWay, isEnding } = request;
  if (id === undefined) {
    if (isEnding) throw noSuchEndpoint();
    const label = request.computer ? `listen on ${request.computer}` : "listen";
    const started = await startListener(workspaceId, { apiKeyId, url: request.forwardTo, label });
    return { listener: started.id, secret: started.secret, pausedBy: null, deliveries: [] };
  }
  const { url, pausedBy } = await keepListening(workspaceId, id);
  const results = lastOfEach(request.results).map((result) => attempted(result, { workspaceId, id, url }));
  await settle(results);
  if (isEnding) {
    await deleteEndpoint(workspaceId, id, command("listen"));
    return { listener: id, pausedBy, deliveries: [] };
  }
  const room = { most: MAX_FORWARDED - underWay, isBusy: underWay > 0 };
  const { claimed } = await claimDeliveries({ listener: { workspaceId, id }, ...room });
  const deliveries: Listening["deliveries"] = [];
  const unsent: Attempted[] = [];
  for (const one of claimed) {
    try {
      deliveries.push({ id: one.id, attempt: one.number, ...signedRequest(one, new Date()) });
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
      unsent.push(unsentOf(one, error.message));
    }
  }
  await settle(unsent);
  return { listener: id, pausedBy, deliveries };
}

async function settle(attempted: readonly Attempted[]): Promise<void> {
  const { reports } = await settleDeliveries(attempted, { waits: true });
  await recordHealth(reports);
}

const unsentOf = (delivery: Claimed, failure: string): Attempted => ({
  delivery,
  answer: { startedAt: new Date(), durationMs: 0, statusCode: null, failure, response: null },
  outcome: outcomeOf(delivery, { statusCode: null, retryAfter: undefined }, Math.random()),
});

type Result = ListenRequest["results"][number];

/** Keeps each delivery's highest attempt: at most one is in flight, so earlier results do not count. */
function lastOfEach(results: readonly Result[]): Result[] {
  const inOrder = results.toSorted((a, b) => a.attempt - b.attempt);
  return [...new Map(inOrder.map((result) => [result.id, result])).values()];
}

function attempted(
  { id, attempt, durationMs, statusCode, failure, response, retryAfter }: Result,
  listener: { workspaceId: WorkspaceId; id: string; url: string },
): Attempted {
  const now = new Date();
  const asked = readRetryAfter(retryAfter ?? undefined, now);
  return {
    delivery: { workspaceId: listener.workspaceId, id, endpointId: listener.id, number: attempt, url: listener.url },
    answer: { startedAt: new Date(now.getTime() - durationMs), durationMs, statusCode, failure, response },
    // `replayedAfter` is not part of the exchange, so that attempts before a replay count on the retries.
    outcome: outcomeOf({ number: attempt, replayedAfter: 0 }, { statusCode, retryAfter: asked }, Math.random()),
  };
}

/** In 15 minutes, deleted ones included: their rows stay for a day. Each session is an entry in the audit log. */
const MAX_STARTED = 60;
const RETRY_AFTER_SECONDS = 60;

/**
 * Starts a `listen` session: a test endpoint for all events that the client polls. All sessions of an API key
 * share one secret. Throws VALIDATION_ERROR if too many sessions are open, and
 * RATE_LIMIT_EXCEEDED if too many were started recently.
 */
async function startListener(
  workspaceId: WorkspaceId,
  { apiKeyId, ...listener }: { apiKeyId: string; url: string; label: string },
): Promise<CreatedEndpoint> {
  await onSql((sql) => endSilentListeners(sql));
  if ((await countStarted(workspaceId)) >= MAX_STARTED) throw tooManyStarted();
  const secret = listenerSecret(apiKeyId, env().KEY_PEPPER);
  const row = { ...listener, mode: "test", events: EVENT_TYPES, secret, listensUntil: nextListensUntil() } as const;
  const slots = [MAX_ENDPOINTS + 1, MAX_ENDPOINTS + MAX_LISTENERS] as const;
  const id = await insertEndpoint(workspaceId, { ...row, slots }, command("listen"));
  if (id) return { id, secret };
  throw invalidAt(
    "",
    `This workspace has ${MAX_LISTENERS} \`listen\` sessions, which is the limit. Stop one, or delete it under Settings, Webhooks.`,
  );
}

async function countStarted(workspaceId: WorkspaceId): Promise<number> {
  const [row] = await onSql(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int as count from webhook_endpoints
      where workspace_id = ${workspaceId} and listens_until is not null and created_at > now() - interval '15 minutes'`,
  );
  return row?.count ?? 0;
}

const tooManyStarted = () =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `This workspace started ${MAX_STARTED} \`listen\` sessions in 15 minutes, which is the limit. Retry in ${RETRY_AFTER_SECONDS} s.`,
    { details: { limit: MAX_STARTED, retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS } },
  );

/** A session polls every second, and expires after this long without a poll. */
const LISTENS_FOR_SECONDS = 60;

/** The value of `listensUntil` for a session that has just polled. */
const nextListensUntil = () => sql`now() + make_interval(secs => ${LISTENS_FOR_SECONDS})`;

/**
 * Extends a listener's session. Returns its URL, and why it is paused if it is. Throws NOT_FOUND if it has ended; the
 * details have `endedBy` if a member ended it.
 */
async function keepListening(workspaceId: WorkspaceId, listenerId: string) {
  const { url, pausedBy, listensUntil } = webhookEndpoints;
  const [kept] = await onDatabase((db) =>
    db
      .update(webhookEndpoints)
      .set({ listensUntil: nextListensUntil() })
      .where(sql`${isEndpoint(workspaceId, listenerId)} and ${isNotNull(listensUntil)}`)
      .returning({ url, pausedBy }),
  );
  if (kept) return kept;
  // An expired session is deleted after `listens_until`.
  const deletedByMembers = await onSql(
    (sql) => sql`
      select from webhook_endpoints
      where workspace_id = ${workspaceId} and id = ${listenerId} and deleted_at < listens_until`,
  );
  throw deletedByMembers.length > 0 ? deletedByMember() : noSuchEndpoint();
}

const deletedByMember = () =>
  new AppError("NOT_FOUND", "This session of listen has ended: it was deleted in the dashboard.", {
    details: { retryable: false, endedBy: "member" },
  });

const MAX_ENDED_AT_ONCE = 500;

/** Ends sessions of `listen` that have not polled for a minute, and what was waiting for them. */
export function endSilentListeners(sql: Sql) {
  return sql`
    with due as materialized (
      select workspace_id, id from webhook_endpoints where listens_until < now() and deleted_at is null
      limit ${MAX_ENDED_AT_ONCE} for update skip locked)
    update webhook_endpoints e set deleted_at = now(), secret = '', previous_secret = null from due
    where e.workspace_id = due.workspace_id and e.id = due.id`;
}
