import { memberRoute } from "@/lib/auth/member-request";
import { exportContacts } from "@/lib/contacts/export-contacts";
import { listReader } from "@/lib/workspaces/read-lists";
import { byUser } from "@/lib/workspaces/record-audit";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(
  ({ member, requestId }) => exportContacts(member.workspaceId, listReader(member), byUser(member.userId, requestId)),
  "manageContacts",
);
