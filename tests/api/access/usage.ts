import { api, type Entry, NO_ID, page, people, signedIn } from "./entry";

export const USAGE: Entry[] = [
  page("dashboard/usage/", () => "/dashboard/usage", signedIn(200)),
  api(
    "GET",
    "v1/workspaces/[workspaceId]/usage",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/usage`,
    people(200, 404, 401),
    { absentId: NO_ID("ws") },
  ),
];
