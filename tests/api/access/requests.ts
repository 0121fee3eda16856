import type { Entry } from "./entry";
import { api, NO_ID, page, panel, people, signedIn } from "./entry";

export const REQUESTS: Entry[] = [
  page("dashboard/requests/", () => "/dashboard/requests", signedIn(200)),
  page(
    "dashboard/requests/[requestId]/",
    ({ requestId }, id = requestId) => `/dashboard/requests/${id}`,
    signedIn(200, 404),
    NO_ID("req"),
  ),
  ...panel(
    "dashboard/requests",
    "requestId",
    ({ requestId }, id = requestId) => `/dashboard/requests/${id}`,
    NO_ID("req"),
  ),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/search",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/search?q=msg`,
    people(200, 404, 401),
    { absentId: NO_ID("ws") },
  ),
];
