import { sweep } from "@/lib/operations/sweep";
import { apiRoute } from "@/lib/public-api/api-route";
import { requireCronSecret } from "@/lib/public-api/request-headers";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request }) => {
    requireCronSecret(request.headers);
    return Response.json({ success: true, data: await sweep() });
  },
});
