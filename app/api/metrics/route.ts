import { exportMetrics } from "@/lib/operations/export-metrics";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({ GET: exportMetrics });
