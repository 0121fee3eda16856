import type { PlatformErrorText } from "./message-error-texts";

const ASK_OWNER = "Nothing in your request is wrong. Ask the workspace’s owner to fix the line, then send again.";
const NO_ACTION = "No action needed.";
const WAIT = "Wait, then send again with the same idempotency key. Nothing in your request is wrong.";
const CLEARS = "No action needed; this usually clears on its own. If it lasts, check WhatsApp’s status page.";
const NEW_TOKEN =
  "Open the line under Lines and replace its access token with one of a system user, which does not expire.";
const REGISTER = "Register the number at WhatsApp again, with its PIN, then send again from here.";
const LOOK_AT_ACCOUNT =
  "Open the business account in WhatsApp Manager, read the notice, and request a review if it is wrong.";
const OTHER_CHANNEL = "Reach this person through another channel.";

/** Texts of codes about the line, its account or WhatsApp itself. */
export const LINE_ERROR_TEXTS: Readonly<Record<number, PlatformErrorText>> = {
  0: ["The access token of the line has expired or was revoked.", ASK_OWNER, NEW_TOKEN],
  1: [
    "WhatsApp could not say what went wrong, or whether the message was sent.",
    "Do not resend. Check the message’s status; it updates if the message was sent.",
    CLEARS,
  ],
  2: ["WhatsApp is temporarily down or overloaded.", WAIT, CLEARS],
  3: [
    "The app lacks a capability or a permission that sending needs.",
    ASK_OWNER,
    "Give the app its messaging permissions again in Meta’s app dashboard, then check the line.",
  ],
  4: [
    "The app made more calls than WhatsApp allows in an hour.",
    "Send more slowly. Retry in a minute with the same idempotency key.",
    "If it happens often, spread the sends over the day, or ask WhatsApp for a higher limit.",
  ],
  10: [
    "The permission to send was never given to the app, or it was removed.",
    ASK_OWNER,
    "Give the app permission to send messages for this business account, then check the line.",
  ],
  33: [
    "The number behind the line was deleted at WhatsApp, or the token may not see it.",
    ASK_OWNER,
    "Connect the number again, or disconnect the line and send from another.",
  ],
  104: ["The call carried no valid proof of the app.", ASK_OWNER, NEW_TOKEN],
  190: ["The access token of the line has expired, or the session behind it was ended.", ASK_OWNER, NEW_TOKEN],
  368: ["WhatsApp has restricted the business account for breaking a policy.", ASK_OWNER, LOOK_AT_ACCOUNT],
  613: [
    "WhatsApp’s call limit is reached.",
    "Retry in a minute with the same idempotency key, and send more slowly.",
    CLEARS,
  ],
  803: [
    "WhatsApp has no number with this id, or the token may not see it.",
    ASK_OWNER,
    "Connect the line again with the right business account and token.",
  ],
  80007: [
    "The business account made more calls than WhatsApp allows in an hour.",
    "Send more slowly. Retry in a minute with the same idempotency key.",
    "Spread the sends over the day, or ask WhatsApp for a higher limit.",
  ],
  130429: [
    "The line sends more messages per second than WhatsApp allows.",
    "Spread the sends. Retry after a second or more with the same idempotency key.",
    "Use several lines for bulk sends. WhatsApp raises the limit of busy lines of good quality by itself.",
  ],
  130497: [
    "The business account may not write to people in this country.",
    `Do not send to this country. ${OTHER_CHANNEL}`,
    "Ask WhatsApp which countries the account may write to.",
  ],
  131000: [
    "WhatsApp failed and cannot say whether the message was sent.",
    "Do not resend. Check the message’s status; it updates if the message was sent.",
    CLEARS,
  ],
  131005: [
    "The token may not do this for the line.",
    ASK_OWNER,
    "Give the token’s user access to the business account, with the permission to send, then check the line.",
  ],
  131016: ["A part of WhatsApp is temporarily unavailable.", WAIT, CLEARS],
  131031: [
    "The business account is locked, because of a policy or because its data do not match.",
    ASK_OWNER,
    LOOK_AT_ACCOUNT,
  ],
  131037: [
    "The number has no approved display name yet.",
    ASK_OWNER,
    "Request a display name in WhatsApp Manager, and wait for its approval.",
  ],
  131042: [
    "The account has no valid way to pay, or is behind with its payments.",
    ASK_OWNER,
    "Open billing in WhatsApp Manager: add or correct the payment method, and settle what is due.",
  ],
  131044: [
    "The account has no valid way to pay.",
    ASK_OWNER,
    "Open billing in WhatsApp Manager: add or correct the payment method, and settle what is due.",
  ],
  131045: ["The registration of the number failed, so it cannot send.", ASK_OWNER, REGISTER],
  131048: [
    "Too many people blocked or reported the line, so WhatsApp limits it.",
    "Send less, and only to people who expect it. Retry hours later.",
    "Look at the line’s quality and pause what people complain about.",
  ],
  131056: [
    "Too many messages from this line to this one person in a short time.",
    "Wait six seconds or more, then retry with the same idempotency key; put several texts into one message.",
    NO_ACTION,
  ],
  131057: [
    "The line is being moved to a higher throughput, which takes about a minute.",
    "Retry in two minutes with the same idempotency key.",
    CLEARS,
  ],
  131063: [
    "Marketing templates are turned off for this way of sending.",
    ASK_OWNER,
    "Allow marketing messages for the account in WhatsApp Manager.",
  ],
  131064: [
    "Templates were filed under the wrong category, so WhatsApp lowered the account’s messaging limit.",
    ASK_OWNER,
    "Give the templates their right category, and wait for the limit to rise again.",
  ],
  133000: ["An earlier attempt to deregister the number was not finished.", ASK_OWNER, REGISTER],
  133004: ["WhatsApp’s server is temporarily unavailable.", WAIT, CLEARS],
  133005: ["The PIN of the number’s two-step verification was wrong.", ASK_OWNER, REGISTER],
  133006: [
    "The number must be verified before it can be registered.",
    ASK_OWNER,
    "Verify the number in WhatsApp Manager by SMS or call, then register it.",
  ],
  133008: [
    "The PIN was guessed wrongly too often.",
    ASK_OWNER,
    "Wait for the time that WhatsApp names, then register the number with the right PIN.",
  ],
  133009: ["The PIN was entered too fast.", ASK_OWNER, "Wait a moment, then register the number again."],
  133010: ["The number is not registered at WhatsApp, so it cannot send.", ASK_OWNER, REGISTER],
  133015: [
    "The number was deleted a moment ago and is not ready yet.",
    "Retry in five minutes with the same idempotency key.",
    CLEARS,
  ],
  133016: [
    "The number was registered and deregistered too often.",
    WAIT,
    "Wait for three days before the number is registered again.",
  ],
  134011: [
    "The terms for payments have not been accepted.",
    ASK_OWNER,
    "Accept the payment terms in WhatsApp Manager.",
  ],
  134101: [
    "The template is new and has not reached every part of WhatsApp.",
    "Retry in ten minutes with the same idempotency key.",
    NO_ACTION,
  ],
  134102: [
    "The template cannot be used this way.",
    "Use another template.",
    "Look at the template in WhatsApp Manager. You may have to create it again.",
  ],
  2494100: [
    "WhatsApp maintains the number for some minutes.",
    "Retry in two minutes with the same idempotency key.",
    CLEARS,
  ],
};
