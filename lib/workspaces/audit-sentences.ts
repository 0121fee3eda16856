import { countryName } from "@/lib/core/country-name";
import { dateFormat } from "@/lib/core/local-time";
import { formatNumber } from "@/lib/core/text";
import { ROLE_NAMES } from "./roles";

type Fields = Record<string, unknown> | null;

/** A row of the log. `targetName` is what the thing is called now; null if it is gone or has no name. */
type Entry = { action: string; targetName: string | null; before: Fields; after: Fields; at: Date };

/** What a sentence may say about its row. */
type Facts = {
  /** The thing's name now, or else as the row kept it. */
  name: string;
  after: (field: string) => string;
  before: (field: string) => string;
  has: (field: string) => boolean;
  /** Until when the old secret works, as the end of the sentence. */
  overlap: string;
  changed: string;
};

/** Says what was done, after the name of who did it: `rotated key production; the old secret works until …`. */
export function auditSentence(entry: Entry, timeZone: string): string {
  const sentence = entry.action in SENTENCES ? SENTENCES[entry.action as AuditAction] : undefined;
  return sentence?.(factsOf(entry, timeZone)) ?? `did this: ${actionWords(entry.action)}`;
}

const SENTENCES = {
  "apiKey.created": ({ name, after }) => `created the ${after("mode")} key ${name}`,
  "apiKey.changed": ({ name, changed }) => `changed ${changed} of key ${name}`,
  "apiKey.limitsChanged": ({ name, changed }) => `changed what key ${name} may do: ${changed}`,
  "apiKey.renamed": ({ before, after }) => `renamed key ${before("label")} to ${after("label")}`,
  "apiKey.rotated": ({ name, overlap }) => `rotated key ${name}${overlap}`,
  "apiKey.revoked": ({ name }) => `revoked key ${name}`,
  "contact.added": () => "added a contact",
  "contact.created": () => "added a contact",
  "contact.changed": ({ changed }) => `changed ${changed} of a contact`,
  "contact.erased": ({ after }) => `erased a person’s data: ${counted(Number(after("messages")), "message")}`,
  "contact.exported": ({ after }) => `exported a person’s data: ${counted(Number(after("messages")), "message")}`,
  "contact.imported": ({ after }) => {
    const renamed = Number(after("renamed"));
    return `imported ${counted(Number(after("created")), "new contact")}${renamed > 0 ? ` and ${counted(renamed, "new name")}` : ""} from a file`;
  },
  "contact.listExported": () => "exported the contacts as a file",
  "contact.merged": () => "merged two contacts of one person",
  "contact.renamed": () => "renamed a contact",
  "member.added": ({ name, after }) => `added ${name} as ${roleName(after("role"))}`,
  "member.changed": ({ name, before, after, has, changed }) =>
    has("role")
      ? `changed the role of ${name} from ${roleName(before("role"))} to ${roleName(after("role"))}`
      : `changed ${changed} of ${name}`,
  "member.factorAdded": ({ name }) => `set up a second factor for ${name}`,
  "member.factorRemoved": ({ name }) => `removed the second factor of ${name}`,
  "member.recoveryCodeUsed": () => "signed in with a recovery code",
  "member.recoveryCodesReplaced": ({ name }) => `created new recovery codes for ${name}`,
  "member.passwordReset": ({ name }) => `reset the password of ${name}`,
  "member.resetLinkCreated": ({ name }) => `created a link for ${name} to reset the password`,
  "member.removed": ({ name }) => `removed ${name} from the workspace`,
  "message.revealed": () => "viewed the contents of a message",
  "invitation.created": ({ after }) => `invited ${after("email")} as ${roleName(after("role"))}`,
  "invitation.revoked": ({ after }) => `revoked the invitation of ${after("email")}`,
  "phoneNumber.connected": ({ name, after }) => `connected the ${after("mode")} line ${name}`,
  "phoneNumber.changed": ({ name, before, after, has, changed }) => {
    if (has("label")) return `renamed line ${before("label")} to ${after("label")}`;
    if (has("isActive")) return `${after("isActive") === "true" ? "resumed" : "paused"} sending from line ${name}`;
    if (!has("isDefault")) return `changed ${changed} of line ${name}`;
    return after("isDefault") === "true"
      ? `made ${name} the default line`
      : `made another line than ${name} the default`;
  },
  "phoneNumber.paused": ({ name }) => `paused sending from line ${name}`,
  "phoneNumber.resumed": ({ name }) => `resumed sending from line ${name}`,
  "phoneNumber.tokenReplaced": ({ name }) => `replaced the token of line ${name}`,
  "phoneNumber.subscribed": ({ name }) => `subscribed the app to the account of line ${name}`,
  "phoneNumber.disconnected": ({ name }) => `disconnected line ${name}`,
  "rateCard.uploaded": ({ after }) => `uploaded a rate card of ${counted(Number(after("prices")), "price")}`,
  "rateCard.priceAdded": ({ after }) =>
    `added a price of ${after("price")} ${after("currency")} for ${countryName(after("country"))} ${after("category")}`,
  "rateCard.removed": () => "removed the rate card",
  "rateCard.budgetChanged": ({ after, has }) =>
    has("budget")
      ? `set the monthly budget to ${after("budget")} ${after("budgetCurrency")}`
      : "removed the monthly budget",
  "template.created": ({ name }) => `added template ${name}`,
  "template.changed": ({ name, changed }) => `changed ${changed} of template ${name}`,
  "template.submitted": ({ name }) => `submitted template ${name} to WhatsApp`,
  "webhookEndpoint.created": ({ name }) => `added webhook ${name}`,
  "webhookEndpoint.changed": ({ name, changed }) => `changed ${changed} of webhook ${name}`,
  "webhookEndpoint.secretRotated": ({ name, overlap }) => `rotated the secret of webhook ${name}${overlap}`,
  "webhookEndpoint.paused": ({ name }) => `paused webhook ${name}`,
  "webhookEndpoint.resumed": ({ name }) => `resumed webhook ${name}`,
  "webhookEndpoint.deleted": ({ name }) => `deleted webhook ${name}`,
  "webhookEndpoint.replayed": ({ name, after }) =>
    `sent ${counted(Number(after("deliveries")), "event")} to webhook ${name} again`,
  "workspace.created": ({ name }) => `created the workspace ${name}`,
  "workspace.changed": ({ before, after, has, changed }) => {
    if (has("name")) return `renamed the workspace ${before("name")} to ${after("name")}`;
    if (!has("requiresSecondFactor")) return `changed ${changed} of the workspace`;
    return after("requiresSecondFactor") === "true"
      ? "required a second factor of all members"
      : "no longer requires a second factor";
  },
  "workspace.limitChanged": ({ after, has }) =>
    has("messageLimit")
      ? `set the monthly limit to ${formatNumber(Number(after("messageLimit")))} messages`
      : "reset the monthly limit to the plan’s",
} satisfies Record<string, (facts: Facts) => string>;

/** Every action in the log: the kind of object, and what was done to it. */
export type AuditAction = keyof typeof SENTENCES;

function factsOf({ targetName, before, after, at }: Entry, timeZone: string): Facts {
  const known = { ...before, ...without(after) };
  const text = (fields: Fields, field: string) => `${fields?.[field] ?? "none"}`;
  const name = targetName ?? known.label ?? known.name ?? known.email ?? "that has no name";
  return {
    name: `${name}`,
    after: (field) => text(known, field),
    before: (field) => text(before, field),
    has: (field) => after?.[field] !== undefined && after[field] !== null,
    overlap: overlapWords(after ?? {}, at, timeZone),
    changed: Object.keys(after ?? {})
      .map(fieldWords)
      .join(" and "),
  };
}

/** A field that was taken away keeps the value before it. */
const without = (after: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(after ?? {}).filter(([, value]) => value !== null));

/** Rows of earlier releases have minutes. */
function overlapWords(after: Record<string, unknown>, at: Date, timeZone: string): string {
  const { overlap, overlapMinutes, previousSecretEndsAt } = after;
  if (overlap === undefined && overlapMinutes === undefined) return "";
  const endsAt =
    previousSecretEndsAt == null
      ? at.getTime() + Number(overlapMinutes ?? 0) * 60_000
      : new Date(`${previousSecretEndsAt}`).getTime();
  if (!(endsAt > at.getTime())) return "; the old secret stopped at once";
  const format = dateFormat({ timeZone, day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return `; the old secret works until ${format.format(endsAt)}`;
}

const counted = (count: number, thing: string): string => `${formatNumber(count)} ${thing}${count === 1 ? "" : "s"}`;

const roleName = (role: string): string =>
  role in ROLE_NAMES ? ROLE_NAMES[role as keyof typeof ROLE_NAMES].toLowerCase() : role;

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
function valueWords(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

type FieldChange = { field: string; before: string | undefined; after: string };

/** Returns the changes in a log row, field by field; `before` is undefined if the object did not exist. */
export function fieldChanges({ before, after }: { before: Fields; after: Fields }): FieldChange[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map((field) => ({
    field,
    before: before ? valueWords(before[field]) : undefined,
    after: valueWords(after?.[field]),
  }));
}
