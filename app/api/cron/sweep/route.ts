import { apiRoute } from "@/lib/public-api/api-route";
import { requireCronSecret } from "@/lib/public-api/cron-secret";
import { sweep } from "@/lib/sweeper/sweep";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request }) => {
    requireCronSecret(request.headers);
    return Response.json({ success: true, data: await sweep() });
  },
});
