import { setTimeout as sleep } from "node:timers/promises";
import type { ApiRequest } from "@/db/schema/api-keys";
import { sql } from "./rows";

type RequestRow = Pick<
  ApiRequest,
  "id" | "method" | "path" | "operation" | "status" | "mode" | "ip" | "body" | "answer"
> & {
  error_code: string | null;
  client_request_id: string | null;
  idempotency_key: string | null;
  is_replay: boolean;
  message_id: string | null;
  user_agent: string | null;
  duration_ms: number;
  platform_ms: number | null;
};

const WRITTEN_WITHIN_MS = 10_000;

/** The request log of a workspace, oldest first, as soon as it has `count` rows or will not have them any more. */
export const requestRows = async ({ workspaceId }: { workspaceId: string }, count: number): Promise<RequestRow[]> => {
  const read = () => sql<RequestRow[]>`select * from api_requests where workspace_id = ${workspaceId} order by at, id`;
  const endMs = Date.now() + WRITTEN_WITHIN_MS;
  for (let rows = await read(); ; rows = await read()) {
    if (rows.length >= count || Date.now() > endMs) return rows;
    await sleep(100);
  }
};

/** Calls of a workspace by status and code, as the counts by hour have them. */
export const requestCounts = async ({ workspaceId }: { workspaceId: string }): Promise<Record<string, number>> => {
  const rows = await sql<{ name: string; count: number }[]>`
      select trim(status || ' ' || error_code) as name, sum(count)::int as count from request_hours
      where workspace_id = ${workspaceId} group by 1`;
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};
