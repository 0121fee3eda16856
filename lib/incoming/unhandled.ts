import type { UnhandledKind } from "@/db/schema";

/** What webhooks of one kind have in common: a title, why they had no effect and what to do. */
export type UnhandledMeaning = { tone: "bad" | "caution" | "info"; title: string; sentence: string };

export const MEANINGS: Record<UnhandledKind, UnhandledMeaning> = {
  notStored: {
    tone: "bad",
    title: "Not stored",
    sentence:
      "The database refused what it reports, so a status, message or notice is missing here. Ask the operator to look for `webhook.item-refused` in the log.",
  },
  unreadable: {
    tone: "caution",
    title: "Not understood",
    sentence:
      "WhatsApp signed it, but its content is incomplete or has a form that this release does not know. If it repeats, update Switchboard.",
  },
  notConnected: {
    tone: "caution",
    title: "Not connected when it arrived",
    sentence:
      "It is about a line or an account that was not connected here. Connect the number, or remove the app from its account at WhatsApp.",
  },
  announced: {
    tone: "info",
    title: "Category change announced",
    sentence:
      "WhatsApp announced that it will put a template in another category, which may change its price. It takes effect here when WhatsApp reports the change. Edit the template before that to keep its category.",
  },
  unusedField: {
    tone: "info",
    title: "Field without use",
    sentence: "Remove the field from the app’s webhook settings at Meta if no one needs it.",
  },
  unusedStatus: {
    tone: "info",
    title: "Status of no message",
    sentence: "A status of something else than a message, such as a call or a payment. No action needed.",
  },
  unusedMessage: {
    tone: "info",
    title: "Message without effect",
    sentence:
      "A person edited or deleted a message, WhatsApp reported a change that is not used here, or a message had no id and so made no event. No action needed.",
  },
  surplus: {
    tone: "caution",
    title: "Too many parts",
    sentence: "One webhook had more than 1,000 parts without effect; the rest of them are stored as one.",
  },
  earlier: {
    tone: "info",
    title: "Of the previous release",
    sentence: "The previous release stored it without its kind. It is deleted within 7 days; no action needed.",
  },
};

/** What the fields report that an app can be subscribed to, and that have no use here. */
export const UNUSED_FIELDS: Record<string, string> = {
  account_settings_update: "Changed settings of a number, such as calls.",
  automatic_events: "Purchases and leads that Meta detected in chats that began with an ad.",
  business_username_update: "A changed user name of the business.",
  calls: "Calls to and from a number.",
  consumer_profile: "Changed profiles of people who write to a number.",
  flows: "Changed states of flows, and the health of their endpoints.",
  group_lifecycle_update: "Groups that were created or deleted.",
  group_participants_update: "People who joined or left a group.",
  group_settings_update: "Changed names, pictures and descriptions of groups.",
  group_status_update: "Groups that WhatsApp suspended or reinstated.",
  history: "Earlier chats of a number that is also used in the WhatsApp Business app.",
  message_echoes: "Messages that another app sent from the number.",
  messaging_handovers: "A conversation that one app handed to another.",
  partner_solutions: "Changed states of a solution that several partners share.",
  payment_configuration_update: "Changed settings of payments.",
  smb_app_state_sync: "Contacts in the WhatsApp Business app of a number.",
  smb_message_echoes: "Messages that were sent from the WhatsApp Business app of a number.",
  standby: "Messages of conversations that another app holds.",
  template_correct_category_detection: "Templates that WhatsApp would put in another category.",
  tracking_events: "Clicks and other events of marketing messages.",
};

const UNKNOWN_FIELD = "This release does not know the field.";

/** Returns what a kind means; for a field without use also what the field reports. */
export function meaningOf(kind: UnhandledKind, field: string | null): UnhandledMeaning {
  const meaning = MEANINGS[kind];
  if (kind !== "unusedField") return meaning;
  const reports = Object.hasOwn(UNUSED_FIELDS, field ?? "") ? UNUSED_FIELDS[field ?? ""] : UNKNOWN_FIELD;
  return { ...meaning, sentence: `${reports} Switchboard does not use it. ${meaning.sentence}` };
}
