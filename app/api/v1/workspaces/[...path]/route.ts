import { serveMember } from "@/app/api/member-routes";
import { webRoute } from "@/lib/http/web-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = webRoute(serveMember);
