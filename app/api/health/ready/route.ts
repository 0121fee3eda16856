import { apiRoute } from "@/lib/public-api/api-route";
import { checkReady } from "@/lib/public-api/health";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({ GET: checkReady });
