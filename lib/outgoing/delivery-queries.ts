import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { onSql } from "@/db/raw-sql";
import { contacts, messages, webhookAttempts, webhookDeliveries, webhookEndpoints } from "@/db/schema";
import { beyondCursor, type PagePlace, type PageStep, readingOrder, readKeysetPage } from "@/lib/core/keyset-page";
import { type Conditions, meeting } from "@/lib/core/list-filters";
import type { WorkspaceId } from "@/lib/core/principal";
import { MADE_FIELDS } from "@/lib/messages/columns";
import { hideContents, NotSent, type StoredEvent, toEventResource } from "@/lib/outgoing/events/event-resource";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { DeliveryFilters } from "./delivery-filters";

/** A status and the first line of the response, or why there was none. */
export type LastAttempt = { statusCode: number | null; failure: string | null; firstLine: string | null };

const COLUMNS = {
  ...columnsOf(webhookDeliveries, "id", "type", "subjectId", "state", "attempts", "occurredAt", "createdAt"),
  /** In the future while an attempt is under way. */
  ...columnsOf(webhookDeliveries, "leasedUntil"),
  /** Null while it waits for an earlier event of its subject. */
  nextAttemptAt: sql<Date | null>`nullif(${webhookDeliveries.nextAttemptAt}, 'infinity')`.mapWith(
    webhookDeliveries.nextAttemptAt,
  ),
  /** The last finished attempt's result; null before the first. Raw SQL, as drizzle omits the table names. */
  lastAttempt: sql<LastAttempt | null>`(
    select json_build_object('statusCode', a.status_code, 'failure', a.failure,
      'firstLine', left(split_part(ltrim(a.response, E' \r\n\t'), E'\n', 1), 200)) from webhook_attempts a
    where a.workspace_id = webhook_deliveries.workspace_id and a.delivery_id = webhook_deliveries.id
    order by a.number desc limit 1)`,
};

export type DeliveryState = "PENDING" | "DELIVERED" | "FAILED";
export type DeliveryList = Partial<Omit<DeliveryFilters, "type" | "from" | "to">> & {
  endpointId: string;
  type?: string | undefined;
  state?: DeliveryState | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

const PER_PAGE = 50;
/** Deliveries scanned for a page filtered by type, which has no index. */
const MAX_LOOKED_THROUGH = 50_000;

/**
 * Returns a page of an endpoint's deliveries, newest first. For a rare type it may be short, even empty, and have an
 * `older` cursor: the place where the scan stopped.
 */
export async function listDeliveries(workspaceId: WorkspaceId, { older, newer, ...list }: DeliveryList & PagePlace) {
  const page = await readKeysetPage(
    { older, newer },
    {
      perPage: PER_PAGE,
      read: (step) => readDeliveries(workspaceId, { ...list, ...step }),
      cursorOf: ({ createdAt, id }) => ({ createdAt, id }),
    },
  );
  if (page.older || !isLookedThrough(list)) return page;
  return { ...page, older: await endOfLook(workspaceId, { ...list, direction: "older", cursor: older }) };
}

const MAX_OF_A_SUBJECT = 50;

/** Returns the deliveries about a message or template to all endpoints, in order. */
export function listDeliveriesAbout(workspaceId: WorkspaceId, subjectId: string) {
  const { endpointId, createdAt, id } = webhookDeliveries;
  return onDatabase((db) =>
    db
      .select({ ...COLUMNS, endpointId, endpointLabel: webhookEndpoints.label })
      .from(webhookDeliveries)
      .innerJoin(
        webhookEndpoints,
        and(eq(webhookEndpoints.workspaceId, webhookDeliveries.workspaceId), eq(webhookEndpoints.id, endpointId)),
      )
      .where(rowsOf(webhookDeliveries, workspaceId, { subjectId }))
      .orderBy(asc(createdAt), asc(id))
      .limit(MAX_OF_A_SUBJECT),
  );
}

/** An id is found by its index. */
const isLookedThrough = ({ type, q }: DeliveryList): boolean => type !== undefined && q === undefined;

// Written out, not as a parameter: the indexes of what is not delivered are partial, that of what waits by its time as well.
const IS: Record<DeliveryState, SQL> = {
  PENDING: sql`${webhookDeliveries.state} = 'PENDING' and ${webhookDeliveries.nextAttemptAt} <= 'infinity'`,
  DELIVERED: sql`${webhookDeliveries.state} = 'DELIVERED'`,
  FAILED: sql`${webhookDeliveries.state} = 'FAILED'`,
};

const KEYS = { at: webhookDeliveries.createdAt, id: webhookDeliveries.id };

const readDeliveries = (workspaceId: WorkspaceId, { endpointId, type, limit, ...list }: DeliveryList & PageStep) =>
  onDatabase((db) => {
    const where = isListed(workspaceId, { endpointId, ...list });
    const looked = db
      .select(columnsOf(webhookDeliveries, "id", "type", "createdAt"))
      .from(webhookDeliveries)
      .where(where)
      .orderBy(...readingOrder(KEYS, list))
      .limit(MAX_LOOKED_THROUGH)
      .as("looked");
    const ofType = db
      .select({ id: looked.id })
      .from(looked)
      .where(eq(looked.type, type ?? ""))
      .orderBy(...readingOrder({ at: looked.createdAt, id: looked.id }, list))
      .limit(limit);
    return db
      .select(COLUMNS)
      .from(webhookDeliveries)
      .where(
        isLookedThrough({ endpointId, type, ...list })
          ? and(eq(webhookDeliveries.workspaceId, workspaceId), sql`${webhookDeliveries.id} = any (array(${ofType}))`)
          : and(where, type === undefined ? undefined : eq(webhookDeliveries.type, type)),
      )
      .orderBy(...readingOrder(KEYS, list))
      .limit(limit);
  });

/** Returns the last delivery that was scanned, if there are more. */
async function endOfLook(workspaceId: WorkspaceId, list: DeliveryList & Omit<PageStep, "limit">) {
  const [last] = await onDatabase((db) =>
    db
      .select(columnsOf(webhookDeliveries, "createdAt", "id"))
      .from(webhookDeliveries)
      .where(isListed(workspaceId, list))
      .orderBy(...readingOrder(KEYS, list))
      .limit(1)
      .offset(MAX_LOOKED_THROUGH - 1),
  );
  return last;
}

/** Whatever their type. */
const isListed = (
  workspaceId: WorkspaceId,
  { endpointId, state, since, until, ...list }: Omit<DeliveryList, "type"> & Omit<PageStep, "limit">,
) =>
  and(
    rowsOf(webhookDeliveries, workspaceId, { endpointId }),
    state && IS[state],
    meeting(CONDITIONS, list, workspaceId),
    since && gte(webhookDeliveries.createdAt, since),
    until && lt(webhookDeliveries.createdAt, until),
    beyondCursor(KEYS, list),
  );

const CONDITIONS: Conditions<Omit<DeliveryFilters, "type" | "from" | "to">, WorkspaceId> = {
  // An array, because the planner might otherwise walk through all deliveries by time.
  q: (workspaceId, q) => sql`${webhookDeliveries.id} = any (array(
    select found.id from webhook_deliveries found where found.workspace_id = ${workspaceId} and found.subject_id = ${q}
    union select ${q}::text))`,
};

export type DeliveryRow = Awaited<ReturnType<typeof readDeliveries>>[number];

/** Counts of an endpoint's deliveries that are waiting or have failed for good. */
export type Undelivered = { waiting: number; failed: number };

/** Returns the counts by endpoint; endpoints that have received everything are omitted. */
export async function countUndelivered(workspaceId: WorkspaceId): Promise<Map<string, Undelivered>> {
  const rows = await onSql(
    (sql) => sql<(Undelivered & { endpointId: string })[]>`
      select endpoint_id as "endpointId", sum(waiting)::int as waiting, sum(failed)::int as failed from (
        select endpoint_id, count(*) as waiting, 0 as failed from webhook_deliveries
        where workspace_id = ${workspaceId} and state = 'PENDING' and next_attempt_at <= 'infinity' group by endpoint_id
        union all
        select endpoint_id, 0, count(*) from webhook_deliveries
        where workspace_id = ${workspaceId} and state = 'FAILED' group by endpoint_id
      ) counted group by endpoint_id`,
  );
  return new Map(rows.map(({ endpointId, ...counts }) => [endpointId, counts]));
}

/**
 * Returns a delivery with its body as pages show it, null if its message was deleted, and all attempts, oldest first;
 * undefined if it does not exist.
 */
export async function findDelivery(workspaceId: WorkspaceId, endpointId: string, deliveryId: string) {
  const [row] = await onDatabase((db) =>
    db
      .select({
        ...COLUMNS,
        ...columnsOf(webhookDeliveries, "sequence", "snapshot"),
        message: columnsOf(messages, ...MADE_FIELDS),
        contactId: sql<string>`coalesce(${contacts.mergedInto}, ${contacts.id})`,
      })
      .from(webhookDeliveries)
      .leftJoin(
        messages,
        and(eq(messages.workspaceId, webhookDeliveries.workspaceId), eq(messages.id, webhookDeliveries.subjectId)),
      )
      .leftJoin(contacts, and(eq(contacts.workspaceId, messages.workspaceId), eq(contacts.id, messages.contactId)))
      .where(rowsOf(webhookDeliveries, workspaceId, { endpointId, id: deliveryId })),
  );
  if (!row) return undefined;
  const { message, contactId, snapshot, ...delivery } = row;
  const attempts = await onDatabase((db) =>
    db
      .select()
      .from(webhookAttempts)
      .where(rowsOf(webhookAttempts, workspaceId, { deliveryId }))
      .orderBy(asc(webhookAttempts.number)),
  );
  const body = shownBody({ ...delivery, snapshot, message: message && { ...message, contactId } });
  return { ...delivery, body, history: attempts };
}

function shownBody(event: StoredEvent) {
  try {
    return hideContents(toEventResource(event));
  } catch (error) {
    if (error instanceof NotSent) return null;
    throw error;
  }
}

export type Delivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>;
export type Attempt = Delivery["history"][number];
