import { serveMember } from "@/app/api/member-routes";
import { webRoute } from "@/lib/public-api/web-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = webRoute(serveMember);
