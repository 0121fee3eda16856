import { canonicalJson, isRecord } from "@/lib/core/json";

/** A send in a form: each type's fields stay filled in while another type is selected. */
export type SendDraft = {
  phone: string;
  /** Empty for the only active line. */
  phoneNumberId: string;
  type: "text" | "template" | "interactive";
  text: string;
  /** The JSON of an interactive message. */
  interactive: string;
  template: { name: string; language: string };
  /** By the keys of `templateVariables`; an empty one is not sent. */
  values: Record<string, string>;
};

/** The body of the call. */
export function toDraftBody({ phone, phoneNumberId, ...draft }: SendDraft): Record<string, unknown> {
  return {
    type: draft.type,
    phone,
    ...(phoneNumberId === "" ? {} : { phoneNumberId }),
    ...contentOf(draft),
  };
}

/** Fills the form's fields from a body; undefined if the form cannot show all of it. */
export function fromDraftBody(body: unknown, draft: SendDraft): SendDraft | undefined {
  const given = asRecord(body);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const { type } = given;
  if (type !== "text" && type !== "template" && type !== "interactive") return undefined;
  const values = Object.entries(asRecord(given.templateVariables)).map(([key, value]) => [key, text(value)]);
  const read: SendDraft = {
    ...draft,
    type,
    phone: text(given.phone),
    phoneNumberId: text(given.phoneNumberId),
    ...(type === "text" ? { text: text(given.content) } : {}),
    ...(type === "interactive" ? { interactive: text(given.content) } : {}),
    ...(type === "template"
      ? {
          template: { name: text(given.templateName), language: text(given.templateLanguage) },
          values: Object.fromEntries(values),
        }
      : {}),
  };
  return canonicalJson(toDraftBody(read)) === canonicalJson(body) ? read : undefined;
}

function contentOf({ type, text, interactive, template, values }: Omit<SendDraft, "phone" | "phoneNumberId">) {
  switch (type) {
    case "text":
      return { content: text };
    case "interactive":
      return { content: interactive };
    case "template":
      return {
        templateName: template.name,
        templateLanguage: template.language,
        templateVariables: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")),
      };
    default:
      return type satisfies never;
  }
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
