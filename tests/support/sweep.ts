import { testServers } from "./environment";
import { type Answer, request } from "./workspace";

/** One pass of the sweeper, as a cron service calls it; null sends no secret. */
export const sweep = (secret: string | null | undefined = testServers().environment.CRON_SECRET): Promise<Answer> =>
  request("GET", `${testServers().baseUrl}/api/cron/sweep`, {
    headers: secret === null ? {} : { authorization: `Bearer ${secret}` },
  });
