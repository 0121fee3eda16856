import type { SQL } from "drizzle-orm";
import { databaseRefusal } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { type EndpointFormat, MAX_ENDPOINTS, webhookEndpoints } from "@/db/schema";
import { invalidAt } from "@/lib/core/app-error";
import { encryptionKeys } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { ALERT_EVENTS, type EventType } from "@/lib/outgoing/events/event-types";
import { type Author, audited, changeOf } from "@/lib/workspaces/record-audit";
import { encryptSecret, newEndpointSecret } from "./signed-request";

/** The secret is returned once, here. */
export type CreatedEndpoint = { id: string; secret: string };

/**
 * Creates an endpoint in the first free slot of its mode. The caller checks permissions, and whether the URL is
 * allowed. Throws VALIDATION_ERROR if all slots are taken.
 */
export async function createEndpoint(
  workspaceId: WorkspaceId,
  endpoint: NewEndpoint,
  by: Author,
): Promise<CreatedEndpoint> {
  const secret = newEndpointSecret();
  const row = { ...endpoint, secret, listensUntil: null };
  const id = await insertEndpoint(workspaceId, { ...row, slots: [1, MAX_ENDPOINTS] }, by);
  if (id) return { id, secret };
  throw noFreeSlot(endpoint.mode);
}

/**
 * Adds a channel of Slack, or of whatever takes Slack's webhooks, for alerts. Its URL is a credential: stored encrypted, and
 * never shown again. Throws as createEndpoint does.
 */
export async function createSlackChannel(
  workspaceId: WorkspaceId,
  { url, label }: { url: string; label: string },
  by: Author,
): Promise<string> {
  const endpoint = { mode: "live" as const, url: `${new URL(url).origin}/…`, label, events: ALERT_EVENTS };
  const row = { ...endpoint, format: "slack" as const, secret: url, listensUntil: null };
  const id = await insertEndpoint(workspaceId, { ...row, slots: [1, MAX_ENDPOINTS] }, by);
  if (id) return id;
  throw noFreeSlot("live");
}

const noFreeSlot = (mode: Mode) =>
  invalidAt("", `This workspace has ${MAX_ENDPOINTS} ${mode} endpoints, which is the limit. Delete one first.`);

export type NewEndpoint = { mode: Mode; url: string; label: string; events: readonly EventType[] };

/** The secret in clear, and until when a listener listens. */
type Row = NewEndpoint & { secret: string; format?: EndpointFormat; listensUntil: SQL | null };

/** The slots that it may take, the first and the last. */
type Slots = readonly [number, number];

const UNIQUE_VIOLATION = "23505";

/** Stores an endpoint in the first free one of `slots`. Returns its id, or undefined where all are taken. */
export async function insertEndpoint(
  workspaceId: WorkspaceId,
  { slots, secret, ...row }: Row & { slots: Slots },
  by: Author,
): Promise<string | undefined> {
  const [first, last] = slots;
  const id = newId("whe");
  const sealed = encryptSecret(secret, { workspaceId, id }, encryptionKeys());
  // Two concurrent inserts choose the same slot, and the unique index rejects one.
  for (let attempt = first; attempt <= last; attempt++) {
    try {
      return await insert(workspaceId, { ...row, id, secret: sealed, slots }, by);
    } catch (error) {
      if (databaseRefusal(error)?.code !== UNIQUE_VIOLATION) throw error;
    }
  }
  return undefined;
}

const insert = (
  workspaceId: WorkspaceId,
  { slots: [first, last], ...row }: Row & { id: string; slots: Slots },
  by: Author,
): Promise<string | undefined> =>
  audited(workspaceId, by, async (tx, record) => {
    const { id, mode, url, label, events } = row;
    const [free] = await rawSql(tx)<{ slot: number }[]>`
      select slot from generate_series(${first}::int, ${last}::int) slot
      where not exists (
        select from webhook_endpoints e
        where e.workspace_id = ${workspaceId} and e.mode = ${mode} and e.deleted_at is null and e.slot = slot.slot)
      order by slot limit 1`;
    if (!free) return undefined;
    await tx.insert(webhookEndpoints).values({ ...row, events: [...events], workspaceId, slot: free.slot });
    const change = changeOf(undefined, { mode, url, label, events });
    await record("webhookEndpoint.created", id, change);
    return id;
  });
