import { byRole, DONE, type Entry, memberAction, NO_ID, page, signedIn } from "./entry";

export const TEMPLATES: Entry[] = [
  page("dashboard/templates/", () => "/dashboard/templates", signedIn(200)),
  page(
    "dashboard/templates/[templateId]/",
    ({ templateId }, id = templateId) => `/dashboard/templates/${id}`,
    signedIn(200, 404),
    NO_ID("tpl"),
  ),
  memberAction("syncTemplates", "dashboard/templates", () => ({ mode: "live" }), byRole(DONE, DONE, DONE)),
];
