import { onDatabase } from "@/db/client";

/** 200 where a query comes back in time; DatabaseUnavailable (503) otherwise. */
export const checkHealth = async (): Promise<Response> => {
  await onDatabase(({ $client: sql }) => sql`select 1`);
  return Response.json({ status: "ok" });
};
