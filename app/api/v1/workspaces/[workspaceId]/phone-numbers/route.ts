import { memberRoute } from "@/lib/auth/member-request";
import { listConnectedLines } from "@/lib/phone-numbers/queries";
import { toPhoneNumberResource } from "@/lib/public-api/phone-number-resource";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member }) => {
  const phoneNumbers = await listConnectedLines(member.workspaceId);
  return Response.json({ success: true, data: { phoneNumbers: phoneNumbers.map(toPhoneNumberResource) } });
});
