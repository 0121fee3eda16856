import { ENDPOINTS } from "@/lib/public-api/endpoints";
import { publicRoute } from "@/lib/public-api/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicRoute(ENDPOINTS);
