import { FIXTURE_BUSINESS_ACCOUNT_ID, FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { createSandbox, type Sandbox, type SandboxOptions } from "@/lib/sandbox/sandbox";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";

export const options: SandboxOptions = {
  webhook: undefined,
  templates: async ({ whatsappBusinessAccountId = FIXTURE_BUSINESS_ACCOUNT_ID }) =>
    whatsappBusinessAccountId === FIXTURE_BUSINESS_ACCOUNT_ID ? [...FIXTURE_TEMPLATES, ...EXTRA] : [],
  acceptUnknownTemplates: false,
};

export const call = async (sandbox: Sandbox, method: string, path: string, body?: unknown) => {
  const response = await sandbox.handle(
    new Request(`https://graph.example/v25.0/${path}`, {
      method,
      headers: { authorization: "Bearer token" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: response.status, body: await response.json() };
};

export const sendTemplate = (
  name: string,
  components?: unknown,
  more: { language?: string; recipient?: string } = {},
) => {
  const template = { name, language: { code: more.language ?? "en_US" }, ...(components ? { components } : {}) };
  const to = more.recipient ? { recipient: more.recipient } : { to: "+447700900123" };
  return { messaging_product: "whatsapp", ...to, type: "template", template };
};

export const send = (body: unknown, more: Partial<SandboxOptions> = {}) =>
  call(createSandbox({ ...options, ...more }), "POST", "106500001/messages", body);

export const text = (value: string, parameter_name?: string) => ({
  type: "text",
  text: value,
  ...(parameter_name ? { parameter_name } : {}),
});
export const image = { type: "image", image: { id: "7790001" } };
export const header = (...parameters: object[]) => ({ type: "header", parameters });
export const body = (...parameters: object[]) => ({ type: "body", parameters });
export const button = (sub_type: string, index: string | number, ...parameters: object[]) => ({
  type: "button",
  sub_type,
  index,
  parameters,
});
export const url = (suffix: string) => button("url", "0", text(suffix));
export const coupon = (code: string) => button("copy_code", "0", { type: "coupon_code", coupon_code: code });
export const card = (card_index: number, more: object[] = [header(image), body(text("10 %")), url("lamp")]) => ({
  card_index,
  components: more,
});
export const carousel = (...cards: object[]) => [body(text("Ana")), { type: "carousel", cards }];

export const template = (
  name: string,
  components: unknown[],
  more: Partial<SandboxTemplate> = {},
): SandboxTemplate => ({
  id: `9${name.length}`,
  name,
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components,
  ...more,
});

const EXTRA = [
  template("x_disabled", [{ type: "BODY", text: "Hi" }], { status: "DISABLED" }),
  template("x_mpm", [
    { type: "BODY", text: "Hi" },
    { type: "BUTTONS", buttons: [{ type: "MPM", text: "View items" }] },
  ]),
  template("x_static", [
    { type: "BODY", text: "Hi" },
    { type: "BUTTONS", buttons: [{ type: "URL", text: "Go", url: "https://a.example" }] },
  ]),
  template("x_offer", [
    { type: "BODY", text: "Hi" },
    { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Ends soon", has_expiration: true } },
  ]),
  template("x_otp", [{ type: "BODY", text: "*{{1}}* is your code." }], { category: "AUTHENTICATION" }),
];
