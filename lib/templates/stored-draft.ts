import { isRecord } from "@/lib/core/json";
import { type DraftButton, type DraftHeader, type DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import { NO_CODE } from "@/lib/whatsapp/one-time-code";
import { constantOf } from "@/lib/whatsapp/wire";
import { readDefinition, type StoredTemplate, type TemplateButton, type TemplatePart } from "./definition";

/** Returns a stored template as its author would write it; undefined if the editor cannot write a part of it. */
export function draftOf(stored: StoredTemplate): TemplateDraft | undefined {
  const definition = readDefinition(stored);
  const { name, language, footer, cards, isNamed } = definition;
  const known = { name, language, category: stored.category.toUpperCase() };
  if (!stored.components.filter(isRecord).every(({ type }) => WRITTEN.has(`${type}`.toUpperCase()))) return undefined;
  if (known.category === "AUTHENTICATION") {
    if (JSON.stringify(stored.components).includes("ZERO_TAP")) return undefined;
    const empty = { header: NO_HEADER, body: "", samples: [], buttons: [], footer: "", cards: [] };
    return TemplateDraft.safeParse({ ...known, ...empty, code: codeOf(stored.components) }).data;
  }
  const parts = [definition, ...cards].map(partOf);
  if (isNamed || parts.includes(undefined)) return undefined;
  const [main, ...others] = parts;
  return TemplateDraft.safeParse({ ...known, ...main, footer: footer ?? "", cards: others }).data;
}

const WRITTEN = new Set(["HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL"]);

const NO_HEADER: DraftHeader = { kind: "none", text: "", sample: "" };

function codeOf(components: unknown[]): TemplateDraft["code"] {
  const text = JSON.stringify(components);
  const footer = components.filter(isRecord).find(({ type }) => constantOf(type) === "FOOTER");
  const minutes = footer?.code_expiration_minutes ?? /\d+/.exec(`${footer?.text ?? ""}`)?.[0];
  return {
    ...NO_CODE,
    hasAdvice: /add_security_recommendation":true|do not share/.test(text),
    minutes: `${minutes ?? ""}`,
    button: text.includes("ONE_TAP") ? "oneTap" : "copyCode",
  };
}

function partOf({ header, body, buttons }: TemplatePart): DraftPart | undefined {
  const written = buttons.map(buttonOf);
  const head = headerOf(header);
  if (!head || written.includes(undefined)) return undefined;
  return {
    header: head,
    body: body?.text ?? "",
    samples: (body?.slots ?? []).map(({ example }) => example ?? ""),
    buttons: written.filter((button) => button !== undefined),
  };
}

function headerOf(header: TemplatePart["header"]): DraftHeader | undefined {
  if (header === null) return NO_HEADER;
  if (header.kind === "text") return { kind: "text", text: header.text, sample: header.slots[0]?.example ?? "" };
  return header.kind === "media" ? { kind: header.format, text: "", sample: header.example ?? "" } : undefined;
}

function buttonOf(button: TemplateButton): DraftButton | undefined {
  const empty = { label: button.label, target: "", sample: "" };
  switch (button.kind) {
    case "quickReply":
      return { ...empty, kind: "quickReply" };
    case "copyCode":
      return { ...empty, kind: "copyCode", label: "", sample: button.example ?? "" };
    case "url":
      return { ...empty, kind: "url", target: button.url ?? "", sample: button.slot.example ?? "" };
    case "fixed":
      if (button.target === null) return undefined;
      return { ...empty, kind: /^https?:/.test(button.target) ? "url" : "phone", target: button.target };
    default:
      return undefined;
  }
}
