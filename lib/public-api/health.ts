import { onSql } from "@/db/raw-sql";
import { frontDoor } from "@/lib/core/front-door";

/**
 * 200 where a query comes back in time; DatabaseUnavailable (503) otherwise. `pages` says how the process of the dashboard
 * is where there is one: the API answers without it, so it is no reason to remove this server from a load balancer.
 */
export async function checkHealth(): Promise<Response> {
  await onSql((sql) => sql`select 1`);
  const pages = frontDoor()?.pagesState?.();
  return Response.json({ status: "ok", ...(pages ? { pages } : {}) });
}
