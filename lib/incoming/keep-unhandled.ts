import { onDatabase } from "@/db/client";
import { unhandledWebhooks } from "@/db/schema";
import { newId } from "@/lib/core/new-id";

/** A part of a signed webhook that no handler could process. */
export type Unhandled = { reason: string; body: unknown };

/** The reason's suffix for a part about an unknown line or account. */
export const NOT_CONNECTED = "of nothing that is connected here";

/** Stores unhandled parts for 7 days, so that nothing from WhatsApp is lost. */
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

/** Limits the rows per webhook: parts beyond the limit share one row. */
const inFewRows = (parts: readonly Unhandled[]): readonly Unhandled[] => {
  if (parts.length <= MAX_ROWS) return parts;
  const rest = parts.slice(MAX_ROWS - 1);
  const reason = `${rest.length} further parts that nothing here could use`;
  return [...parts.slice(0, MAX_ROWS - 1), { reason, body: rest.map(({ body }) => body) }];
};
