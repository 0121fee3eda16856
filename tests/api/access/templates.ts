import { randomBytes } from "node:crypto";
import { byRole, DONE, type Entry, memberAction, NO_ID, pageAt, pageOfOne, REFUSED } from "./entry";

const AT = "dashboard/templates";

export const TEMPLATES: Entry[] = [
  pageAt(AT),
  pageOfOne(AT, "templateId", NO_ID("tpl")),
  pageAt(`${AT}/new`),
  memberAction(
    "createTemplate",
    AT,
    ({ phoneNumberId }) => ({ mode: "live", phoneNumberId, draft: JSON.stringify(draft()) }),
    byRole(DONE, DONE, REFUSED),
    { path: `/${AT}/new` },
  ),
  memberAction("syncTemplates", AT, { mode: "live" }, byRole(DONE, DONE, DONE)),
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
