import { isRecord } from "@/lib/core/json";
import { constantOf, idOf, languageOf, storableText, type WebhookChange } from "./wire";

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

/** Parses a change of one of the four template fields: none without a template or a change. */
export function readTemplateEvents(field: string, change: WebhookChange): TemplateEvent[] {
  const { value, whatsappBusinessAccountId, occurredAt } = change;
  const whatsappTemplateId = idOf(value.message_template_id);
  const name = idOf(value.message_template_name);
  const language = languageOf(value.message_template_language);
  const templateChange = readTemplateChange(field, value);
  if (!templateChange || (whatsappTemplateId === null && (name === null || language === null))) return [];
  return [{ whatsappBusinessAccountId, whatsappTemplateId, name, language, occurredAt, change: templateChange }];
}

function readTemplateChange(field: string, value: Record<string, unknown>): TemplateChange | undefined {
  switch (field) {
    case "message_template_status_update":
      return readStatusChange(value);
    case "message_template_quality_update": {
      const qualityScore = constantOf(value.new_quality_score);
      return qualityScore === null ? undefined : { kind: "quality", qualityScore };
    }
    case "template_category_update": {
      // Without a new category it only announces an upcoming change.
      const category = constantOf(value.new_category);
      return category === null ? undefined : { kind: "category", category };
    }
    case "message_template_components_update": {
      const update = readComponentsUpdate(value);
      return update && { kind: "components", update };
    }
    default:
      return undefined;
  }
}

function readStatusChange(value: Record<string, unknown>): TemplateChange | undefined {
  const event = constantOf(value.event);
  if (event === null) return undefined;
  const after = STATUS_AFTER.get(event);
  const reason = constantOf(value.reason);
  return {
    kind: "status",
    event,
    status: after === undefined ? event : after,
    rejectedReason: reason === "NONE" ? null : reason,
    category: constantOf(value.message_template_category),
  };
}

/** The texts of a template after an edit. Null: the webhook omits the part, so it is unchanged. */
export type ComponentsUpdate = {
  body: string | null;
  header: string | null;
  footer: string | null;
  /** Link and phone buttons only, in order; WhatsApp omits all others. */
  buttons: UpdatedButton[];
};

type UpdatedButton = { type: string; text: string | null; url: string | null; phoneNumber: string | null };
type Component = Record<string, unknown>;

/** Parses `message_template_components_update`; undefined if it has no part. */
export function readComponentsUpdate(value: Record<string, unknown>): ComponentsUpdate | undefined {
  const listed: unknown[] = Array.isArray(value.message_template_buttons) ? value.message_template_buttons : [];
  const update = {
    body: textOf(value.message_template_element),
    header: textOf(value.message_template_title),
    footer: textOf(value.message_template_footer),
    buttons: listed.filter(isRecord).flatMap(readButton),
  };
  const isEmpty = update.body === null && update.header === null && update.footer === null && listed.length === 0;
  return isEmpty ? undefined : update;
}

/** Applies the update's texts to the stored components, which have the shape of WhatsApp's lists. */
export function applyComponentsUpdate(components: unknown[], update: ComponentsUpdate): unknown[] {
  const remaining = [...update.buttons];
  return components.map((component) => {
    if (!isRecord(component)) return component;
    switch (constantOf(component.type)) {
      case "HEADER":
        return constantOf(component.format) === "TEXT" ? withText(component, update.header) : component;
      case "BODY":
        return withText(component, update.body);
      case "FOOTER":
        return withText(component, update.footer);
      case "BUTTONS":
        return { ...component, buttons: updateButtons(component.buttons, remaining) };
      default:
        return component;
    }
  });
}

function readButton(raw: Record<string, unknown>): UpdatedButton[] {
  const part = (name: string) => textOf(raw[`message_template_button_${name}`]);
  const type = constantOf(raw.message_template_button_type);
  return type === null ? [] : [{ type, text: part("text"), url: part("url"), phoneNumber: part("phone_number") }];
}

/** Each stored button takes the next update of its type, so quick replies in between keep their position. */
const updateButtons = (stored: unknown, remaining: UpdatedButton[]): unknown =>
  Array.isArray(stored)
    ? stored.map((button: unknown) => {
        const at = isRecord(button) ? remaining.findIndex(({ type }) => type === constantOf(button.type)) : -1;
        const [update] = at < 0 ? [] : remaining.splice(at, 1);
        return isRecord(button) && update ? withButton(button, update) : button;
      })
    : stored;

const withButton = (button: Component, { text, url, phoneNumber }: UpdatedButton): Component => ({
  ...button,
  ...(text !== null && { text }),
  ...(url !== null && { url }),
  ...(phoneNumber !== null && { phone_number: phoneNumber }),
});

const withText = (component: Component, text: string | null): Component =>
  text === null ? component : { ...component, text };

const textOf = (value: unknown): string | null => (typeof value === "string" ? storableText(value) : null);
