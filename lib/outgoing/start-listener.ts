import { onSql } from "@/db/raw-sql";
import { MOST_ENDPOINTS, MOST_LISTENERS } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { EVENT_TYPES } from "@/lib/public-api/event-types";
import { command } from "@/lib/workspaces/author";
import type { CreatedEndpoint } from "./create-endpoint";
import { endSilentListeners } from "./end-silent-listeners";
import { listenerSecret } from "./endpoint-secret";
import { insertEndpoint } from "./insert-endpoint";
import { listensAgain } from "./keep-listening";

/** Where a computer forwards its deliveries to, as seen from there, and its name. */
export type Listener = { url: string; label: string };

/** In 15 minutes, deleted ones included: their rows stay for a day. Each session is an entry in the audit log. */
const MOST_STARTED = 60;
const RETRY_AFTER_SECONDS = 60;

/**
 * Begins a session of `listen`: a test endpoint for all events, for whose deliveries the computer polls. Its secret is that
 * of every session with the same key. Throws VALIDATION_ERROR where too many computers listen, and
 * RATE_LIMIT_EXCEEDED where sessions begin and end all the time.
 */
export async function startListener(
  workspaceId: WorkspaceId,
  { apiKeyId, ...listener }: Listener & { apiKeyId: string },
): Promise<CreatedEndpoint> {
  await onSql((sql) => endSilentListeners(sql));
  if ((await countStarted(workspaceId)) >= MOST_STARTED) throw tooManyStarted();
  const secret = listenerSecret(apiKeyId, env().KEY_PEPPER);
  const row = { ...listener, mode: "test", events: EVENT_TYPES, secret, listensUntil: listensAgain() } as const;
  const slots = [MOST_ENDPOINTS + 1, MOST_ENDPOINTS + MOST_LISTENERS] as const;
  const id = await insertEndpoint(workspaceId, { ...row, slots }, command("listen"));
  if (id) return { id, secret };
  throw invalid([
    {
      path: "",
      message: `This workspace has ${MOST_LISTENERS} sessions of listen, which is the limit. Stop one, or delete it under Settings, Webhooks.`,
    },
  ]);
}

const countStarted = async (workspaceId: WorkspaceId): Promise<number> => {
  const [row] = await onSql(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int as count from webhook_endpoints
      where workspace_id = ${workspaceId} and listens_until is not null and created_at > now() - interval '15 minutes'`,
  );
  return row?.count ?? 0;
};

const tooManyStarted = () =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `${MOST_STARTED} sessions of listen began in this workspace within 15 minutes. Retry in ${RETRY_AFTER_SECONDS} s.`,
    { details: { limit: MOST_STARTED, retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS } },
  );
