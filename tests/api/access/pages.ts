import { api, type Entry, everyone, NO_ID, page, pageAt, pageOfOne, people } from "./entry";

const open = (file: string, path = `/${file}`): Entry => ({
  ...api("GET", "", path, everyone(200)),
  file: `${file}/route.ts`,
});

export const PUBLIC_PAGES: Entry[] = [
  page("", "/", everyone(200)),
  ...["", "/errors", "/errors/NOT_FOUND", "/errors/platform/131026", "/quickstart", "/operator/webhooks"].map((path) =>
    page("docs/[[...page]]/", `/docs${path}`, everyone(200)),
  ),
  open("docs/client.ts"),
  open("docs/search-index.json"),
  open("robots.txt"),
  open("sitemap.xml"),
  open("markdown/[[...page]]", "/docs/polling.md"),
  open("openapi.json"),
  open("llms.txt"),
  pageAt("sign-in", people("307 /dashboard", "307 /dashboard", 200)),
];

export const DASHBOARD_PAGES: Entry[] = [
  pageAt("dashboard"),
  pageAt("dashboard/phone-numbers"),
  pageOfOne("dashboard/phone-numbers", "phoneNumberId", NO_ID("pn")),
];

/** Behind a plain form of every page, distinguished by the form's text. */
const form: Pick<Entry, "method" | "path"> = { method: "POST", path: () => "/dashboard" };

export const COMMON_ACTIONS: Entry[] = [
  {
    ...form,
    file: "dashboard/actions.ts#signOut",
    form: { text: "Sign out", fields: () => ({}) },
    expected: everyone("303 /sign-in"),
    endsSessions: true,
  },
  {
    ...form,
    file: "dashboard/actions.ts#switchWorkspace",
    form: { text: "Switch to", fields: ({ workspaceId }, id = workspaceId) => ({ workspaceId: id }) },
    expected: people("303 /dashboard", 404, "303 /sign-in"),
    absentId: NO_ID("ws"),
  },
];
