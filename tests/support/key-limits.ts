import { changeLimits } from "@/lib/api-keys/change-limits";
import { type KeyLimits, provenWorkspaceId } from "@/lib/core/principal";
import { sql } from "./rows";
import type { TestWorkspace } from "./workspace";

const OWNER = { actor: { kind: "user", id: "usr_1" }, requestId: null } as const;

/** Limits a key of the workspace as its owner does on its page. */
export const limitKey = (
  { workspaceId, apiKey: main }: TestWorkspace,
  limits: KeyLimits,
  { apiKey = main, expiresAt = null }: { apiKey?: string; expiresAt?: Date | null } = {},
) => changeLimits(provenWorkspaceId(workspaceId), { apiKey, limits, expiresAt: () => expiresAt }, OWNER);

/** What the key counts this month, and the messages that it counts; the two must never differ. */
export const keyUnits = async ({ workspaceId }: TestWorkspace, keyId: string) => {
  const [row] = await sql<{ used: number; held: number }[]>`
      select (select used from key_usage where workspace_id = ${workspaceId} and api_key_id = ${keyId}) as used, (
          select count(*)::int from messages
          where workspace_id = ${workspaceId} and api_key_id = ${keyId} and key_unit_month is not null
        ) as held`;
  return row;
};
