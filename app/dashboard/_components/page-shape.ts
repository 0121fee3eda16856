/** How a page is laid out, as far as its address shows. */
export type PageShape = "overview" | "list" | "detail" | "form";

const LISTS = [
  "messages",
  "requests",
  "phone-numbers",
  "templates",
  "contacts",
  "settings/api-keys",
  "settings/members",
  "settings/webhooks",
];

/** What is on its way: a page, or a detail that opens beside its list. */
export type ComingShape = PageShape | "panel";

/** Of a path of the dashboard, such as `/dashboard/messages`. */
export const pageShapeOf = (pathname: string): PageShape => {
  const page = pathname.replace(/^\/dashboard\/?/, "").replace(/\/$/, "");
  if (page === "" || page === "usage") return "overview";
  if (LISTS.includes(page) || page === "settings/audit-log" || page === "webhooks") return "list";
  const parent = LISTS.find((list) => page.startsWith(`${list}/`));
  return parent && !/\/(new|import)$/.test(page) ? "detail" : "form";
};
