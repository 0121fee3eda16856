import { expect, test } from "vitest";
import { pageShapeOf } from "@/app/dashboard/_components/page-shape";

test.each([
  ["/dashboard", "overview"],
  ["/dashboard/usage", "overview"],
  ["/dashboard/messages", "list"],
  ["/dashboard/messages/msg_1", "detail"],
  ["/dashboard/requests/req_1", "detail"],
  ["/dashboard/phone-numbers", "list"],
  ["/dashboard/phone-numbers/pn_1", "detail"],
  ["/dashboard/phone-numbers/new", "form"],
  ["/dashboard/templates/tpl_1", "detail"],
  ["/dashboard/contacts/import", "form"],
  ["/dashboard/webhooks", "list"],
  ["/dashboard/settings", "form"],
  ["/dashboard/settings/api-keys", "list"],
  ["/dashboard/settings/api-keys/pk_1", "detail"],
  ["/dashboard/settings/webhooks", "list"],
  ["/dashboard/settings/webhooks/whe_1", "detail"],
  ["/dashboard/settings/webhooks/whe_1/deliveries/whd_1", "detail"],
  ["/dashboard/settings/audit-log", "list"],
  ["/dashboard/send", "form"],
  ["/dashboard/account", "form"],
] as const)("%s is laid out as %s", (pathname, shape) => {
  expect(pageShapeOf(pathname)).toBe(shape);
});
