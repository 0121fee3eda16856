import { memberRoute } from "@/lib/auth/member-request";
import { exportPerson } from "@/lib/messages/export-person";
import { byUser } from "@/lib/workspaces/record-audit";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, requestId, params }) => {
  const by = byUser(member.userId, requestId);
  const person = await exportPerson(member.workspaceId, params.contactId ?? "", by);
  return new Response(`${JSON.stringify(person, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="person-${person.contact.id}.json"`,
    },
  });
}, "exportContact");
