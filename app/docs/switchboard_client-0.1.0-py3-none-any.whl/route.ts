import { pythonWheel } from "@/lib/docs/python-wheel";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () =>
    new Response(madeOnce("python-wheel", pythonWheel), { headers: { "content-type": "application/zip" } }),
});
