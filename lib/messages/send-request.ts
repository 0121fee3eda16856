import type { TemplateValues } from "@/lib/templates/fill";
import type { Category } from "@/lib/whatsapp/limits";

/** How the slots of a template are filled: from simple values, or by the caller's components, passed on unchanged. */
export type TemplateFilling = ({ kind: "values" } & TemplateValues) | { kind: "components"; components: unknown[] };

export type SendContent =
  | { type: "text"; text: string }
  /** `source` is the caller's own JSON string, `interactive` WhatsApp's full object read from it. */
  | { type: "interactive"; source: string; interactive: Record<string, unknown> }
  | { type: "template"; name: string; language?: string; expectCategory?: Category; filling: TemplateFilling };

/** A validated, normalised send. At least one of `phone` (digits) and `contactId` is set. */
export type SendRequest = {
  phone?: string;
  contactId?: string;
  phoneNumberId?: string;
  revalidateFlowSession: boolean;
  content: SendContent;
};
