import type { PlatformErrorText } from "./message-error-texts";

const TELL_OWNER = "Nothing in your request is wrong. Tell the workspace’s owner, and send again once it is mended.";
const NOTHING_TO_MEND = "No action needed.";
const WAIT = "Wait, then send again with the same idempotency key. Nothing in your request is wrong.";
const PLATFORM_WAITS = "No action needed; this usually clears on its own. If it lasts, check WhatsApp’s status page.";
const NEW_TOKEN =
  "Open the line under Lines and replace its access token with one of a system user, which does not expire.";
const REGISTER = "Register the number at the platform again, with its PIN, then send again from here.";
const LOOK_AT_ACCOUNT =
  "Open the business account at the platform, read what it says there, and ask for a review if it is wrong.";
const OTHER_CHANNEL = "Reach this person through another channel.";

/** Of codes that are about the line, its account or the platform itself. */
export const LINE_ERROR_TEXTS: ReadonlyMap<number, PlatformErrorText> = new Map([
  [0, ["The access token of the line has expired or was revoked.", TELL_OWNER, NEW_TOKEN]],
  [
    1,
    [
      "The platform could not say what went wrong, not even whether the message left.",
      "Do not resend. Check the message’s status; it updates if the message was sent.",
      PLATFORM_WAITS,
    ],
  ],
  [2, ["The platform is down or overloaded for a moment.", WAIT, PLATFORM_WAITS]],
  [
    3,
    [
      "The app lacks a capability or a permission that sending needs.",
      TELL_OWNER,
      "Give the app its messaging permissions at the platform again, and check the line.",
    ],
  ],
  [
    4,
    [
      "The app made more calls than the platform allows in an hour.",
      "Send more slowly. Retry in a minute with the same idempotency key.",
      "If it happens often, spread the sends over the day, or ask the platform for a higher limit.",
    ],
  ],
  [
    10,
    [
      "The permission to send was never given to the app, or it was removed.",
      TELL_OWNER,
      "Give the app the permission to send messages for this business account at the platform, then check the line.",
    ],
  ],
  [
    33,
    [
      "The number behind the line was deleted at the platform, or the token may not see it.",
      TELL_OWNER,
      "Connect the number again, or disconnect the line and send from another.",
    ],
  ],
  [104, ["The call carried no valid proof of the app.", TELL_OWNER, NEW_TOKEN]],
  [190, ["The access token of the line has expired, or the session behind it was ended.", TELL_OWNER, NEW_TOKEN]],
  [368, ["The platform has restricted the business account for breaking a policy.", TELL_OWNER, LOOK_AT_ACCOUNT]],
  [
    613,
    [
      "A limit of calls to the platform is reached.",
      "Retry in a minute with the same idempotency key, and send more slowly.",
      PLATFORM_WAITS,
    ],
  ],
  [
    803,
    [
      "The platform knows no number with this id, or the token may not see it.",
      TELL_OWNER,
      "Connect the line again with the right business account and token.",
    ],
  ],
  [
    80007,
    [
      "The business account made more calls than the platform allows in an hour.",
      "Send more slowly. Retry in a minute with the same idempotency key.",
      "Spread the sends over the day, or ask the platform for a higher limit.",
    ],
  ],
  [
    130429,
    [
      "The line sends more messages a second than the platform allows it.",
      "Spread the sends. Retry after a second or more with the same idempotency key.",
      "Use several lines for bulk sends; the platform raises the limit of busy lines of good quality by itself.",
    ],
  ],
  [
    130497,
    [
      "The business account may not write to people in this country.",
      `Do not send to this country. ${OTHER_CHANNEL}`,
      "Ask the platform which countries the account may write to.",
    ],
  ],
  [
    131000,
    [
      "The platform failed and cannot say whether the message left.",
      "Do not resend. Check the message’s status; it updates if the message was sent.",
      PLATFORM_WAITS,
    ],
  ],
  [
    131005,
    [
      "The token may not do this for the line.",
      TELL_OWNER,
      "Give the token’s user access to the business account, with the permission to send, then check the line.",
    ],
  ],
  [131016, ["A part of the platform is not available for a moment.", WAIT, PLATFORM_WAITS]],
  [
    131031,
    [
      "The business account is locked, because of a policy or because its data do not match.",
      TELL_OWNER,
      LOOK_AT_ACCOUNT,
    ],
  ],
  [
    131037,
    [
      "The number has no approved display name yet.",
      TELL_OWNER,
      "Ask for a display name at the platform, and wait for its approval.",
    ],
  ],
  [
    131042,
    [
      "The account has no valid way to pay, or is behind with its payments.",
      TELL_OWNER,
      "Open billing at the platform: add or correct the payment method, and settle what is due.",
    ],
  ],
  [
    131044,
    [
      "The account has no valid way to pay.",
      TELL_OWNER,
      "Open billing at the platform: add or correct the payment method, and settle what is due.",
    ],
  ],
  [131045, ["The registration of the number failed, so it cannot send.", TELL_OWNER, REGISTER]],
  [
    131048,
    [
      "Too many people blocked or reported the line, so the platform limits it.",
      "Send less, and only to people who expect it. Retry hours later.",
      "Look at the line’s quality and pause what people complain about.",
    ],
  ],
  [
    131056,
    [
      "Too many messages from this line to this one person in a short time.",
      "Wait six seconds or more, then retry with the same idempotency key; put several texts into one message.",
      NOTHING_TO_MEND,
    ],
  ],
  [
    131057,
    [
      "The line is being moved to a higher throughput, which takes about a minute.",
      "Retry in two minutes with the same idempotency key.",
      PLATFORM_WAITS,
    ],
  ],
  [
    131063,
    [
      "Marketing templates were switched off for this way of sending.",
      TELL_OWNER,
      "Allow marketing messages for the account at the platform.",
    ],
  ],
  [
    131064,
    [
      "Templates were filed under the wrong category, so the platform lowered the account’s messaging limit.",
      TELL_OWNER,
      "Give the templates their right category, and wait for the limit to rise again.",
    ],
  ],
  [133000, ["An earlier attempt to take the number off the platform was not finished.", TELL_OWNER, REGISTER]],
  [133004, ["The platform’s server is not available for a moment.", WAIT, PLATFORM_WAITS]],
  [133005, ["The PIN of the number’s two-step verification was wrong.", TELL_OWNER, REGISTER]],
  [
    133006,
    [
      "The number must be verified before it can be registered.",
      TELL_OWNER,
      "Verify the number at the platform by SMS or call, then register it.",
    ],
  ],
  [
    133008,
    [
      "The PIN was guessed wrongly too often.",
      TELL_OWNER,
      "Wait for the time that the platform names, then register the number with the right PIN.",
    ],
  ],
  [133009, ["The PIN was entered too fast.", TELL_OWNER, "Wait a moment, then register the number again."]],
  [133010, ["The number is not registered at the platform, so it cannot send.", TELL_OWNER, REGISTER]],
  [
    133015,
    [
      "The number was deleted a moment ago and is not ready yet.",
      "Retry in five minutes with the same idempotency key.",
      PLATFORM_WAITS,
    ],
  ],
  [
    133016,
    [
      "The number was registered and taken off too often.",
      WAIT,
      "Wait for three days before the number is registered again.",
    ],
  ],
  [134011, ["The terms for payments have not been accepted.", TELL_OWNER, "Accept the payment terms at the platform."]],
  [
    134101,
    [
      "The template is new and has not reached every part of the platform.",
      "Retry in ten minutes with the same idempotency key.",
      NOTHING_TO_MEND,
    ],
  ],
  [
    134102,
    [
      "The template cannot be used this way.",
      "Use another template.",
      "Look at the template at the platform; it may have to be made anew.",
    ],
  ],
  [
    2494100,
    [
      "The number is in maintenance at the platform for some minutes.",
      "Retry in two minutes with the same idempotency key.",
      PLATFORM_WAITS,
    ],
  ],
]);
