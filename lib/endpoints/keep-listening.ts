import { isNotNull, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import { isEndpoint, noSuchEndpoint } from "./queries";

/** A computer asks every second; one that was closed or lost its network has ended. */
const LISTENS_FOR_SECONDS = 60;

/** The value of `listensUntil` for a listener that has just asked. */
export const listensAgain = (): SQL => sql`now() + make_interval(secs => ${LISTENS_FOR_SECONDS})`;

/** Notes that a listener is there. Returns its URL, and why it is paused if it is. Throws NOT_FOUND where it has ended. */
export const keepListening = async (
  workspaceId: WorkspaceId,
  listenerId: string,
): Promise<{ url: string; pausedBy: "member" | "gone" | "failing" | null }> => {
  const { url, pausedBy, listensUntil } = webhookEndpoints;
  const [kept] = await onDatabase((db) =>
    db
      .update(webhookEndpoints)
      .set({ listensUntil: listensAgain() })
      .where(sql`${isEndpoint(workspaceId, listenerId)} and ${isNotNull(listensUntil)}`)
      .returning({ url, pausedBy }),
  );
  if (!kept) throw noSuchEndpoint();
  return kept;
};
