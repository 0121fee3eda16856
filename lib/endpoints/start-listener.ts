import { onSql } from "@/db/raw-sql";
import { MOST_ENDPOINTS, MOST_LISTENERS } from "@/db/schema";
import { command } from "@/lib/audit/author";
import { invalid } from "@/lib/errors/app-error";
import { env } from "@/lib/process/env";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import type { CreatedEndpoint } from "./create-endpoint";
import { endSilentListeners } from "./end-silent-listeners";
import { listenerSecret } from "./endpoint-secret";
import { EVENT_TYPES } from "./event-types";
import { insertEndpoint } from "./insert-endpoint";
import { listensAgain } from "./keep-listening";

/** Where a computer forwards its deliveries to, as seen from there, and its name. */
export type Listener = { url: string; label: string };

/**
 * Begins a session of `listen`: a test endpoint for all events, whose deliveries the computer asks for. Its secret is that
 * of every session with the same key. Throws VALIDATION_ERROR where too many computers listen.
 */
export const startListener = async (
  workspaceId: WorkspaceId,
  { apiKeyId, ...listener }: Listener & { apiKeyId: string },
): Promise<CreatedEndpoint> => {
  await onSql((sql) => endSilentListeners(sql));
  const secret = listenerSecret(apiKeyId, env().KEY_PEPPER);
  const row = { ...listener, mode: "test", events: EVENT_TYPES, secret, listensUntil: listensAgain() } as const;
  const slots = [MOST_ENDPOINTS + 1, MOST_ENDPOINTS + MOST_LISTENERS] as const;
  const id = await insertEndpoint(workspaceId, { ...row, slots }, command("listen"));
  if (id) return { id, secret };
  throw invalid([
    {
      path: "",
      message: `${MOST_LISTENERS} computers listen in this workspace, which is the limit. End one: Webhooks in the dashboard lists them.`,
    },
  ]);
};
