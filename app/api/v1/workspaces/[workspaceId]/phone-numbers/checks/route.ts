import { memberFromOwnPage } from "@/lib/auth/member-request";
import { AccessToCheck } from "@/lib/phone-numbers/access-fields";
import { streamAccessChecks } from "@/lib/phone-numbers/stream-access-checks";
import { apiRoute } from "@/lib/public-api/api-route";
import { readJsonAs } from "@/lib/public-api/read-body";

/** One line of JSON for each check of a token and a business account as it is done; the last one holds the numbers. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  POST: async (call) => {
    await memberFromOwnPage(call, "manageLines");
    return streamAccessChecks(await readJsonAs(AccessToCheck, call));
  },
});
