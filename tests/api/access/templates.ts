import { randomBytes } from "node:crypto";
import { byRole, DONE, type Entry, memberAction, NO_ID, page, REFUSED, signedIn } from "./entry";

export const TEMPLATES: Entry[] = [
  page("dashboard/templates/", () => "/dashboard/templates", signedIn(200)),
  page(
    "dashboard/templates/[templateId]/",
    ({ templateId }, id = templateId) => `/dashboard/templates/${id}`,
    signedIn(200, 404),
    NO_ID("tpl"),
  ),
  page("dashboard/templates/new/", () => "/dashboard/templates/new", signedIn(200)),
  {
    ...memberAction(
      "createTemplate",
      "dashboard/templates",
      ({ phoneNumberId }) => ({ mode: "live", phoneNumberId, draft: JSON.stringify(draft()) }),
      byRole(DONE, DONE, REFUSED),
    ),
    path: () => "/dashboard/templates/new",
  },
  memberAction("syncTemplates", "dashboard/templates", () => ({ mode: "live" }), byRole(DONE, DONE, DONE)),
];

const draft = () => ({
  name: `order_${randomBytes(6).toString("hex")}`,
  language: "en_US",
  category: "UTILITY",
  header: { kind: "none", text: "", sample: "" },
  body: "Your order is ready.",
  samples: [],
  footer: "",
  buttons: [],
  cards: [],
});
