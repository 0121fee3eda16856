import { serveApi } from "@/app/api/routes";
import { webRoute } from "@/lib/http/web-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = webRoute(serveApi);
