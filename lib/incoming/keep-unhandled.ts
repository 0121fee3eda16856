import { onDatabase } from "@/db/client";
import { unhandledWebhooks } from "@/db/schema";
import { newId } from "@/lib/core/new-id";

/** A part of a signed webhook that nothing here could use. */
export type Unhandled = { reason: string; body: unknown };

/** The end of the reason of a part whose line or account is none of ours. */
export const NOT_CONNECTED = "of nothing that is connected here";

/** Keeps it for 7 days, so that nothing WhatsApp said is lost unseen. */
export async function keepUnhandled(parts: readonly Unhandled[]): Promise<void> {
  if (parts.length === 0) return;
  const rows = inFewRows(parts).map(({ reason, body }) => ({
    id: newId("wh"),
    reason: reason.slice(0, 200),
    body: Buffer.from(typeof body === "string" ? body : (JSON.stringify(body) ?? "")),
  }));
  await onDatabase((db) => db.insert(unhandledWebhooks).values(rows), { pool: "webhooks" });
}

const MAX_ROWS = 1_000;

/** A body of nothing but parts that make no sense must not become as many rows: the rest of them shares one. */
const inFewRows = (parts: readonly Unhandled[]): readonly Unhandled[] => {
  if (parts.length <= MAX_ROWS) return parts;
  const rest = parts.slice(MAX_ROWS - 1);
  const reason = `${rest.length} further parts that nothing here could use`;
  return [...parts.slice(0, MAX_ROWS - 1), { reason, body: rest.map(({ body }) => body) }];
};
