import { type ComponentsUpdate, readComponentsUpdate } from "./components-update";
import { idOf, type WebhookChange, wordOf } from "./platform-text";

/** An event about a template. Match it by `whatsappTemplateId`, else by name and language. */
export type TemplateEvent = {
  whatsappBusinessAccountId: string;
  whatsappTemplateId: string | null;
  name: string | null;
  /** With an underscore, as WhatsApp's lists write it: `en_US`. */
  language: string | null;
  occurredAt: Date;
  change: TemplateChange;
};

export type TemplateChange =
  /** `status` is null if the event does not determine it (FLAGGED, LOCKED, UNARCHIVED): only a sync can. */
  | { kind: "status"; event: string; status: string | null; rejectedReason: string | null; category: string | null }
  | { kind: "quality"; qualityScore: string }
  | { kind: "category"; category: string }
  | { kind: "components"; update: ComponentsUpdate };

/** Events whose name differs from the template's resulting status; for all others it is the status. */
const STATUS_AFTER: ReadonlyMap<string, string | null> = new Map([
  ["REINSTATED", "APPROVED"],
  ["FLAGGED", null],
  ["LOCKED", null],
  ["UNARCHIVED", null],
]);

/** Parses a change of one of the four template fields; undefined without a template or a change. */
export function readTemplateEvent(field: string, change: WebhookChange): TemplateEvent | undefined {
  const { value, whatsappBusinessAccountId, occurredAt } = change;
  const whatsappTemplateId = idOf(value.message_template_id);
  const name = idOf(value.message_template_name);
  const language = wordOf(value.message_template_language)?.replaceAll("-", "_") ?? null;
  const templateChange = readTemplateChange(field, value);
  if (!templateChange || (whatsappTemplateId === null && (name === null || language === null))) return undefined;
  return { whatsappBusinessAccountId, whatsappTemplateId, name, language, occurredAt, change: templateChange };
}

const readTemplateChange = (field: string, value: Record<string, unknown>): TemplateChange | undefined => {
  switch (field) {
    case "message_template_status_update":
      return readStatusChange(value);
    case "message_template_quality_update": {
      const qualityScore = wordOf(value.new_quality_score);
      return qualityScore === null ? undefined : { kind: "quality", qualityScore };
    }
    case "template_category_update": {
      // Without a new category it only announces an upcoming change.
      const category = wordOf(value.new_category);
      return category === null ? undefined : { kind: "category", category };
    }
    case "message_template_components_update": {
      const update = readComponentsUpdate(value);
      return update && { kind: "components", update };
    }
    default:
      return undefined;
  }
};

const readStatusChange = (value: Record<string, unknown>): TemplateChange | undefined => {
  const event = wordOf(value.event)?.toUpperCase();
  if (event === undefined) return undefined;
  const after = STATUS_AFTER.get(event);
  const reason = wordOf(value.reason);
  return {
    kind: "status",
    event,
    status: after === undefined ? event : after,
    rejectedReason: reason === "NONE" ? null : reason,
    category: wordOf(value.message_template_category),
  };
};
