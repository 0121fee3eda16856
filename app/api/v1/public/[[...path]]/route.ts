import { publicRoute } from "@/lib/public-api/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicRoute({});
