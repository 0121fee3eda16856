import { isRecord } from "@/lib/core/json";
import { codeBodyText, codeFooterText } from "@/lib/whatsapp/one-time-code";
import type { SandboxTemplate } from "./template-layout";

type Component = Record<string, unknown>;

/**
 * Returns a template as WhatsApp lists it: authentication templates have WhatsApp's own texts, and the button
 * of a one-time code, created as OTP, is returned as a URL. Other templates are unchanged.
 */
export function asListedTemplate(template: SandboxTemplate): SandboxTemplate {
  const isCode = template.category.toUpperCase() === "AUTHENTICATION";
  const components = template.components.map((component) =>
    isRecord(component) ? read(component, isCode) : component,
  );
  const isBodiless = isCode && !components.some((component) => isRecord(component) && typeOf(component) === "BODY");
  return { ...template, components: isBodiless ? [codeBody({ type: "BODY" }), ...components] : components };
}

function read(component: Component, isCode: boolean): Component {
  switch (typeOf(component)) {
    case "BODY":
      return isCode && !component.text ? codeBody(component) : component;
    case "FOOTER":
      return isCode && !component.text ? { ...component, text: footerText(component) } : component;
    case "BUTTONS":
      return { ...component, buttons: listOf(component.buttons).map(readButton) };
    case "CAROUSEL":
      return { ...component, cards: listOf(component.cards).map((card) => readCard(card, isCode)) };
    default:
      return component;
  }
}

const readCard = (card: unknown, isCode: boolean): unknown =>
  isRecord(card)
    ? { ...card, components: listOf(card.components).map((one) => (isRecord(one) ? read(one, isCode) : one)) }
    : card;

const codeBody = (component: Component): Component => ({
  ...component,
  text: codeBodyText(component.add_security_recommendation === true),
  example: { body_text: [["123456"]] },
});

const footerText = ({ code_expiration_minutes: minutes }: Component): string =>
  typeof minutes === "number" ? codeFooterText(minutes) : "";

function readButton(button: unknown): unknown {
  if (!isRecord(button) || typeOf(button) !== "OTP") return button;
  const type = typeof button.otp_type === "string" ? button.otp_type.toUpperCase() : "COPY_CODE";
  const url = (code: string) => `${CODE_URL}code/?otp_type=${type}&code=otp${code}`;
  return { type: "URL", text: button.text ?? "Copy code", url: url("{{1}}"), example: [url("123456")] };
}

const CODE_URL = "https://www.whatsapp.com/otp/";

/** Whether a URL belongs to a one-time code's button, as listed. */
export function isOneTimeCode(url: string): boolean {
  return url.startsWith(CODE_URL);
}

const typeOf = ({ type }: Component): string => (typeof type === "string" ? type.toUpperCase() : "");
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
