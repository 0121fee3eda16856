/** Why WhatsApp refuses, what the caller of the API can do, and what the owner of the line can do. */
export type PlatformErrorText = readonly [why: string, caller: string, owner: string];

const NO_ACTION = "No action needed.";
const OTHER_CHANNEL = "Reach this person through another channel.";

/** Texts of codes that another message, recipient or value would have avoided. */
export const MESSAGE_ERROR_TEXTS: Readonly<Record<number, PlatformErrorText>> = {
  100: [
    "A parameter is unknown or misspelt, or its value is too long or of the wrong type.",
    "WhatsApp’s own message names the parameter. Correct it and send with a new idempotency key.",
    NO_ACTION,
  ],
  130403: [
    "This recipient is on the business’s own block list.",
    "Leave the recipient out, or retry with the same idempotency key once the business has unblocked them.",
    "Unblock the person in WhatsApp if they should get your messages.",
  ],
  130472: [
    "WhatsApp excludes this person from marketing messages as part of an experiment.",
    `Do not try again. ${OTHER_CHANNEL}`,
    NO_ACTION,
  ],
  131008: [
    "A parameter that this kind of message needs is missing, such as that of a button.",
    "Add what WhatsApp’s message names. For a template, compare with its variables.",
    "If the template changed lately, sync templates.",
  ],
  131009: [
    "A value is not allowed, for example a list or button that is too long.",
    "Correct the value that WhatsApp’s message names, and send with a new idempotency key.",
    NO_ACTION,
  ],
  131021: ["The recipient is the number that sends.", "Send to another number.", NO_ACTION],
  131026: [
    "The number is not on WhatsApp, uses a version that is too old, has not accepted the terms, or WhatsApp does not say why.",
    "Check the number with the person, or use another channel.",
    NO_ACTION,
  ],
  131030: [
    "The line is WhatsApp’s own test number, which can write to five listed recipients only.",
    "Send to a number of the list, or from another line. Once the owner has added the number, send with a new idempotency key.",
    "Add the recipient to the test number’s list in Meta’s app dashboard, or connect a real number.",
  ],
  131047: [
    "More than 24 hours have passed since this person last wrote, and free text is allowed within them only.",
    "Send an approved template instead; a reply to it opens 24 hours for free text.",
    "Keep a template for reopening a conversation approved.",
  ],
  131049: [
    "WhatsApp limits how many marketing messages a person gets from all businesses together.",
    "Retry after 24 hours: each earlier try makes delivery less likely. Other kinds of messages still arrive.",
    "Send fewer marketing messages, and to people who reply to them.",
  ],
  131050: [
    "This person has turned off marketing messages from this business.",
    "Never send this person marketing templates again. Other kinds still arrive.",
    "Take the person off your marketing lists.",
  ],
  131051: [
    "WhatsApp does not deliver this kind of message.",
    "Use a kind that it does: text, template or interactive.",
    NO_ACTION,
  ],
  131053: [
    "The media behind a link could not be read, or its kind or size is not allowed.",
    "Check that the address is public and returns a picture, video or document of an allowed size.",
    NO_ACTION,
  ],
  131055: [
    "This way of sending takes marketing templates only.",
    "Send a marketing template, or write to the owner about the line’s settings.",
    "Allow other messages for the account in WhatsApp Manager.",
  ],
  131062: [
    "A one-time code cannot go to a recipient who is known by user id only.",
    "Send it to the person’s phone number.",
    NO_ACTION,
  ],
  132000: [
    "The send gave more or fewer values than the template has slots.",
    "Compare your keys with the template’s variables; it may have changed since you wrote the call.",
    "Sync templates, so that this dashboard shows the template as it is.",
  ],
  132001: [
    "There is no approved template of this name in this language: `en` is not `en_US`.",
    "Use the name and language exactly as the list of templates has them.",
    "Sync templates; get this language approved if it is missing.",
  ],
  132005: [
    "With its values filled in the text is longer than WhatsApp allows.",
    "Shorten the values and send with a new idempotency key.",
    "Leave more room in the template’s own text.",
  ],
  132007: [
    "The content breaks a rule of format or policy.",
    "Change the content that WhatsApp’s message names.",
    "Read the template’s rejection or warning in WhatsApp Manager.",
  ],
  132008: ["A value of the template is not valid.", "Correct the value that WhatsApp’s message names.", NO_ACTION],
  132012: [
    "A value is of another kind than its slot, for example text in place of a picture.",
    "Compare your keys with the template’s variables; a media header takes a link.",
    "Sync templates, so that this dashboard shows the template as it is.",
  ],
  132015: [
    "WhatsApp paused the template because too many people blocked or reported it.",
    "Use another template until it is resumed.",
    "Improve the template. A first pause ends after three hours, a second after six.",
  ],
  132016: [
    "The template was paused too often, so WhatsApp disabled it for good.",
    "Use another template.",
    "Write a new template with better content.",
  ],
  132018: [
    "A value holds a line break, a tab, or more than four spaces in a row.",
    "Put the value on one line with single spaces.",
    NO_ACTION,
  ],
  132068: [
    "The flow behind the message is blocked.",
    "Use another flow or message. Once the owner has fixed this one, send with a new idempotency key.",
    "Open the flow in WhatsApp Manager and fix what it reports.",
  ],
  132069: [
    "The flow responds too slowly or fails, so WhatsApp lets few people open it.",
    "Retry in an hour with the same idempotency key.",
    "Open the flow in WhatsApp Manager and fix its endpoint.",
  ],
  134100: [
    "This way of sending takes marketing templates only.",
    "Send a marketing template.",
    "Allow other messages for the account in WhatsApp Manager.",
  ],
  135000: [
    "WhatsApp could not interpret the message’s parameters.",
    "Compare the parameters with the template; try the call from the template’s page.",
    "Sync templates.",
  ],
  137000: [
    "The person’s identity has changed, for example with a new phone, and this business asked to be notified.",
    "Make sure that it is still the same person, then send with a new idempotency key.",
    NO_ACTION,
  ],
};
