import { memberOf } from "@/lib/auth/member";
import { exportPerson } from "@/lib/messages/export-person";
import { apiRoute } from "@/lib/public-api/api-route";
import { byUser } from "@/lib/workspaces/author";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, requestId, params }) => {
    const { workspaceId = "", contactId = "" } = params;
    const member = await memberOf(request.headers.get("cookie"), workspaceId, "exportContact");
    const person = await exportPerson(member.workspaceId, contactId, byUser(member.userId, requestId));
    return new Response(`${JSON.stringify(person, null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": `attachment; filename="person-${person.contact.id}.json"`,
      },
    });
  },
});
