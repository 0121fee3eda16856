import { onDatabase } from "@/db/client";
import { unhandledWebhooks } from "@/db/schema";
import { newId } from "@/lib/ids";

/** A part of a signed webhook that nothing here could use. */
export type Unhandled = { reason: string; body: unknown };

/** The end of the reason of a part whose line or account is none of ours. */
export const NOT_CONNECTED = "of nothing that is connected here";

/** Keeps it for 7 days, so that nothing the platform said is lost unseen. */
export const keepUnhandled = async (parts: readonly Unhandled[]): Promise<void> => {
  if (parts.length === 0) return;
  const rows = parts.map(({ reason, body }) => ({
    id: newId("wh"),
    reason: reason.slice(0, 200),
    body: Buffer.from(typeof body === "string" ? body : (JSON.stringify(body) ?? "")),
  }));
  await onDatabase((db) => db.insert(unhandledWebhooks).values(rows), { pool: "webhooks" });
};
