import { type Entry, NO_ID, ofWorkspace, pageAndPanel, pageAt, people } from "./entry";

export const REQUESTS: Entry[] = [
  pageAt("dashboard/requests"),
  ...pageAndPanel("dashboard/requests", "requestId", NO_ID("req")),
  ofWorkspace("GET", "search", people(200, 404, 401), "?q=msg"),
];
