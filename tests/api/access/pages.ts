import { api, type Entry, everyone, formAction, NO_ID, page, people, signedIn } from "./entry";

export const PUBLIC_PAGES: Entry[] = [
  page("", () => "/", everyone(200)),
  ...["", "/errors", "/errors/NOT_FOUND", "/errors/platform/131026", "/quickstart", "/operator/webhooks"].map((path) =>
    page("docs/[[...page]]/", () => `/docs${path}`, everyone(200)),
  ),
  { ...api("GET", "", () => "/docs/client.ts", everyone(200)), file: "docs/client.ts/route.ts" },
  { ...api("GET", "", () => "/docs/search-index.json", everyone(200)), file: "docs/search-index.json/route.ts" },
  { ...api("GET", "", () => "/robots.txt", everyone(200)), file: "robots.txt/route.ts" },
  { ...api("GET", "", () => "/sitemap.xml", everyone(200)), file: "sitemap.xml/route.ts" },
  { ...api("GET", "", () => "/docs/polling.md", everyone(200)), file: "markdown/[[...page]]/route.ts" },
  { ...api("GET", "", () => "/openapi.json", everyone(200)), file: "openapi.json/route.ts" },
  { ...api("GET", "", () => "/llms.txt", everyone(200)), file: "llms.txt/route.ts" },
  page("sign-in/", () => "/sign-in", people("307 /dashboard", "307 /dashboard", 200)),
];

export const DASHBOARD_PAGES: Entry[] = [
  page("dashboard/", () => "/dashboard", signedIn(200)),
  page("dashboard/phone-numbers/", () => "/dashboard/phone-numbers", signedIn(200)),
  page(
    "dashboard/phone-numbers/[phoneNumberId]/",
    ({ phoneNumberId }, id = phoneNumberId) => `/dashboard/phone-numbers/${id}`,
    signedIn(200, 404),
    NO_ID("pn"),
  ),
];

export const COMMON_ACTIONS: Entry[] = [
  { ...formAction("signOut", { text: "Sign out", fields: () => ({}) }, everyone("303 /sign-in")), endsSessions: true },
  formAction(
    "switchWorkspace",
    { text: "Switch to", fields: ({ workspaceId }, id = workspaceId) => ({ workspaceId: id }) },
    people("303 /dashboard", 404, "303 /sign-in"),
    NO_ID("ws"),
  ),
];
