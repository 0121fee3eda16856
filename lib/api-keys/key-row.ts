import type { PendingQuery, Row, Sql } from "postgres";
import type { Mode } from "@/db/schema";
import type { Plan } from "@/lib/core/plans";
import type { Line } from "@/lib/core/principal";
import { USABLE } from "./queries";

/** A key with everything that a call needs to know of it. */
export type KeyRow = {
  apiKey: string;
  workspaceId: string;
  id: string;
  mode: Mode;
  secretHash: Uint8Array;
  /** The secret before a rotation, until its overlap ends. */
  previousSecretHash: Uint8Array | null;
  isUsable: boolean;
  /** Whether its last use was stored more than a minute ago. */
  isStale: boolean;
  plan: Plan;
  messageLimit: number | null;
  lines: Line[];
};

/** The key whose public half is the expression `apiKey`, as a KeyRow. */
export function selectKeyRow(sql: Sql, apiKey: PendingQuery<Row[]>) {
  return sql<KeyRow[]>`
  select k.api_key as "apiKey", k.workspace_id as "workspaceId", k.id, k.mode, k.secret_hash as "secretHash",
    case when k.previous_secret_ends_at > now() then k.previous_secret_hash end as "previousSecretHash",
    ${sql.unsafe(USABLE)} as "isUsable",
    k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as "isStale",
    w.plan, w.message_limit as "messageLimit",
    (
      select coalesce(json_agg(json_build_object(
        'id', p.id,
        'label', p.label,
        'displayPhoneNumber', p.display_phone_number,
        'whatsappPhoneNumberId', p.whatsapp_phone_number_id,
        'whatsappBusinessAccountId', p.whatsapp_business_account_id,
        'accessToken', p.access_token,
        'isActive', p.is_active,
        'isDefault', p.is_default,
        'hasTokenProblem', p.token_problem is not null
      ) order by p.created_at, p.id), '[]')
      from phone_numbers p
      where p.workspace_id = k.workspace_id and p.mode = k.mode and p.disconnected_at is null
    ) as lines
  from api_keys k join workspaces w on w.id = k.workspace_id
  where k.api_key = ${apiKey}`;
}
