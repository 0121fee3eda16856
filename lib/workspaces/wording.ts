const THINGS: Record<string, string> = { apiKey: "API key", phoneNumber: "Line", webhookEndpoint: "Webhook" };

const FIELDS: Record<string, string> = {
  apiKey: "API key",
  ipRanges: "IP ranges",
  overlapMinutes: "old secret valid for, minutes",
  phoneNumberIds: "lines",
  ref: "operator’s name",
  templateNames: "templates",
};

const spaced = (word: string) => word.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** Formats an action of the log: `apiKey.rotated` becomes `API key rotated`. */
export function actionWords(action: string): string {
  const [thing = "", verb = ""] = action.split(".");
  const name = THINGS[thing] ?? `${thing.charAt(0).toUpperCase()}${spaced(thing).slice(1)}`;
  return `${name} ${spaced(verb)}`;
}

/** Formats a field of the log: `messageLimit` becomes `message limit`. */
export function fieldWords(field: string): string {
  return (FIELDS[field] ?? spaced(field)).replace(/^is /, "");
}

/** A field's value in the log, as one line. */
const valueWords = (value: unknown): string => {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
};

export type FieldChange = { field: string; before: string | undefined; after: string };

type Fields = Record<string, unknown> | null;

/** Returns the changes in a log row, field by field; `before` is undefined if the object did not exist. */
export function fieldChanges({ before, after }: { before: Fields; after: Fields }): FieldChange[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map((field) => ({
    field,
    before: before ? valueWords(before[field]) : undefined,
    after: valueWords(after?.[field]),
  }));
}
