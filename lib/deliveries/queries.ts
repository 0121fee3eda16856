import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { messages, webhookAttempts, webhookDeliveries } from "@/db/schema";
import { beyondCursor, type PagePlace, type PageStep, readingOrder, readKeysetPage } from "@/lib/dashboard/keyset-page";
import { toEventResource } from "@/lib/public-api/event-resource";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";

/** A status, or why there was no response. */
export type LastAttempt = { statusCode: number | null; failure: string | null };

const COLUMNS = {
  id: webhookDeliveries.id,
  type: webhookDeliveries.type,
  subjectId: webhookDeliveries.subjectId,
  state: webhookDeliveries.state,
  attempts: webhookDeliveries.attempts,
  nextAttemptAt: webhookDeliveries.nextAttemptAt,
  /** In the future while an attempt is under way. */
  leasedUntil: webhookDeliveries.leasedUntil,
  occurredAt: webhookDeliveries.occurredAt,
  createdAt: webhookDeliveries.createdAt,
  /** What the last finished attempt came to; null before the first one. */
  lastAttempt: sql<LastAttempt | null>`(
    select json_build_object('statusCode', a.status_code, 'failure', a.failure) from webhook_attempts a
    where a.workspace_id = ${webhookDeliveries.workspaceId} and a.delivery_id = ${webhookDeliveries.id}
    order by a.number desc limit 1)`,
};

export type DeliveryState = "PENDING" | "DELIVERED" | "FAILED";
export type DeliveryList = { endpointId: string; state?: DeliveryState | undefined } & PagePlace;

const PER_PAGE = 50;

/** A page of an endpoint's deliveries, newest first. */
export const listDeliveries = (workspaceId: WorkspaceId, { older, newer, ...list }: DeliveryList) =>
  readKeysetPage(
    { older, newer },
    {
      perPage: PER_PAGE,
      read: (step) => readDeliveries(workspaceId, { ...list, ...step }),
      cursorOf: ({ createdAt, id }) => ({ createdAt, id }),
    },
  );

// Written out, not as a parameter: the indexes of what is not delivered are partial.
const IS: Record<DeliveryState, SQL> = {
  PENDING: sql`${webhookDeliveries.state} = 'PENDING'`,
  DELIVERED: sql`${webhookDeliveries.state} = 'DELIVERED'`,
  FAILED: sql`${webhookDeliveries.state} = 'FAILED'`,
};

const KEYS = { at: webhookDeliveries.createdAt, id: webhookDeliveries.id };

const readDeliveries = (workspaceId: WorkspaceId, { endpointId, state, ...step }: DeliveryList & PageStep) =>
  onDatabase((db) =>
    db
      .select(COLUMNS)
      .from(webhookDeliveries)
      .where(and(isOf(workspaceId, endpointId), state && IS[state], beyondCursor(KEYS, step)))
      .orderBy(...readingOrder(KEYS, step))
      .limit(step.limit),
  );

export type DeliveryRow = Awaited<ReturnType<typeof readDeliveries>>[number];

/** What an endpoint has not received: deliveries that wait, and those that were given up. */
export type Undelivered = { waiting: number; failed: number };

/** By endpoint; one that has received everything is not in it. */
export const countUndelivered = async (workspaceId: WorkspaceId): Promise<Map<string, Undelivered>> => {
  const [waiting, failed] = await Promise.all([countIn(workspaceId, "PENDING"), countIn(workspaceId, "FAILED")]);
  return new Map(
    [...new Set([...waiting.keys(), ...failed.keys()])].map((endpointId) => [
      endpointId,
      { waiting: waiting.get(endpointId) ?? 0, failed: failed.get(endpointId) ?? 0 },
    ]),
  );
};

const countIn = async (workspaceId: WorkspaceId, state: "PENDING" | "FAILED"): Promise<Map<string, number>> => {
  const { endpointId } = webhookDeliveries;
  const rows = await onDatabase((db) =>
    db
      .select({ endpointId, count: sql<number>`count(*)::int` })
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.workspaceId, workspaceId), IS[state]))
      .groupBy(endpointId),
  );
  return new Map(rows.map((row) => [row.endpointId, row.count]));
};

/** A delivery with the body that is posted and every attempt, the first one first. Undefined where there is none. */
export const findDelivery = async (workspaceId: WorkspaceId, endpointId: string, deliveryId: string) => {
  const [row] = await onDatabase((db) =>
    db
      .select({
        ...COLUMNS,
        sequence: webhookDeliveries.sequence,
        snapshot: webhookDeliveries.snapshot,
        messageCreatedAt: messages.createdAt,
        idempotencyKey: messages.idempotencyKey,
      })
      .from(webhookDeliveries)
      .leftJoin(
        messages,
        and(eq(messages.workspaceId, webhookDeliveries.workspaceId), eq(messages.id, webhookDeliveries.subjectId)),
      )
      .where(and(isOf(workspaceId, endpointId), eq(webhookDeliveries.id, deliveryId))),
  );
  if (!row) return undefined;
  const { messageCreatedAt: createdAt, idempotencyKey, snapshot, ...delivery } = row;
  const attempts = await onDatabase((db) =>
    db
      .select()
      .from(webhookAttempts)
      .where(and(eq(webhookAttempts.workspaceId, workspaceId), eq(webhookAttempts.deliveryId, deliveryId)))
      .orderBy(asc(webhookAttempts.number)),
  );
  const body = toEventResource({ ...delivery, snapshot, message: createdAt && { createdAt, idempotencyKey } });
  return { ...delivery, body, history: attempts };
};

export type Delivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>;
export type Attempt = Delivery["history"][number];

const isOf = (workspaceId: WorkspaceId, endpointId: string): SQL =>
  sql`${webhookDeliveries.workspaceId} = ${workspaceId} and ${webhookDeliveries.endpointId} = ${endpointId}`;
