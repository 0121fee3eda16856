import { memberOf } from "@/lib/auth/member";
import { listConnectedLines } from "@/lib/phone-numbers/queries";
import { apiRoute } from "@/lib/public-api/api-route";
import { toPhoneNumberResource } from "@/lib/public-api/phone-number-resource";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const phoneNumbers = await listConnectedLines(workspaceId);
    return Response.json({ success: true, data: { phoneNumbers: phoneNumbers.map(toPhoneNumberResource) } });
  },
});
