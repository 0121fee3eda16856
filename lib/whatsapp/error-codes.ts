/** What a WhatsApp error code means for a send: who can fix it, and whether the same request can succeed later. */
export type CodeRule = {
  blame: "caller" | "platform";
  /** Set only for temporary causes: after this wait the same request can succeed. */
  retryAfterSeconds?: number;
  title: string;
  /** Who has to change what; rules without it are about the line or WhatsApp, or are temporary. */
  fix?: string;
  throttled?: "line" | "pair";
  template?: "not_approved" | "differs";
};

const SECONDS_OF_OUTAGE = 30;
const HOUR = 3_600;

/** Returned as 400: the request, or something outside it, must change first. */
const caller = (title: string, fix: string): CodeRule => ({ blame: "caller", title, fix });
/** Also returned as 400, but the same request can succeed later. */
const callerLater = (title: string, retryAfterSeconds: number, fix?: string): CodeRule => ({
  blame: "caller",
  title,
  retryAfterSeconds,
  ...(fix && { fix }),
});
/** Returned as 502: the line's owner, the operator or WhatsApp must change something first. */
const platform = (title: string, fix?: string): CodeRule => ({ blame: "platform", title, ...(fix && { fix }) });
/** Returned as 502, and temporary. */
const later = (title: string, retryAfterSeconds: number): CodeRule => ({ blame: "platform", title, retryAfterSeconds });

const CONNECT_AGAIN = "The owner of the line must connect it again with a valid access token.";
const GRANT_AGAIN = "The owner of the line must grant the app its messaging permissions again.";
const SETTLE_BILLING = "The owner of the line must settle its payment method at WhatsApp.";
const REGISTER = "The owner of the line must register the number at WhatsApp again.";
const ADD_RECIPIENT = "The owner of the line must add this number to its test recipients at Meta.";
const TOKEN_DEAD = platform("The access token of the line is not valid", CONNECT_AGAIN);
const APPROVED_ONLY = "Use an approved template and language of GET /api/v1/public/templates.";
const SEND_ITS_VARIABLES = "GET /api/v1/public/templates lists the variables that it takes.";

/** Codes after which the message may still be sent: WhatsApp itself does not know. */
export const AMBIGUOUS_CODES: ReadonlySet<number> = new Set([1, 131000]);

/** The line's token no longer works; only connecting the line again fixes it. */
export const DEAD_TOKEN_CODES: ReadonlySet<number> = new Set([0, 190]);

export const CODE_RULES: ReadonlyMap<number, CodeRule> = new Map<number, CodeRule>([
  [0, TOKEN_DEAD],
  [2, later("WhatsApp is down or overloaded", SECONDS_OF_OUTAGE)],
  [3, platform("The app lacks a capability", GRANT_AGAIN)],
  [4, { ...later("The app made too many calls", 60), throttled: "line" }],
  [10, platform("Permission denied", GRANT_AGAIN)],
  [33, platform("The line's number was deleted", CONNECT_AGAIN)],
  [100, caller("Invalid parameter", "Correct the parameter that the details name.")],
  [104, platform("WhatsApp wants an access token", CONNECT_AGAIN)],
  [190, TOKEN_DEAD],
  [368, platform("The business account is blocked for a policy violation")],
  [613, later("WhatsApp's call limit is reached", 60)],
  [803, platform("The line does not exist at WhatsApp", CONNECT_AGAIN)],
  [80007, { ...later("The business account made too many calls", 60), throttled: "line" }],
  [130403, callerLater("The recipient is blocked by this business", HOUR, "It works once the business unblocks them.")],
  [130429, { ...later("The line's throughput limit is reached", 1), throttled: "line" }],
  [130472, caller("The recipient is in a marketing experiment", "Use another channel for this recipient.")],
  [130497, platform("The business account may not message this country")],
  [131005, platform("Access denied", GRANT_AGAIN)],
  [131008, caller("A required parameter is missing", "Add the parameter that the details name.")],
  [131009, caller("A parameter value is not valid", "Correct the value that the details name.")],
  [131016, later("WhatsApp is unavailable for a moment", SECONDS_OF_OUTAGE)],
  [131021, caller("The recipient is the line itself", "Send to another number.")],
  [131026, caller("The recipient cannot be reached on WhatsApp", "Check the number, or use another channel.")],
  [131030, caller("The recipient is not on the test number's list", ADD_RECIPIENT)],
  [131031, platform("The business account is locked")],
  [131037, platform("The line's display name is not approved", "The owner of the line must get it approved.")],
  [131042, platform("The business account has a payment problem", SETTLE_BILLING)],
  [131044, platform("The business account has a payment problem", SETTLE_BILLING)],
  [131045, platform("The line's registration failed", REGISTER)],
  [131047, caller("More than 24 hours since the recipient's last message", "Send an approved template instead.")],
  [131048, later("The line is limited after too many blocks or reports", HOUR)],
  [131049, callerLater("WhatsApp withheld the marketing message", 24 * HOUR)],
  [131050, caller("The recipient stopped marketing messages", "Send this recipient no marketing templates.")],
  [131051, caller("The message type is not supported", "Use a message type that WhatsApp supports.")],
  [131053, caller("The media could not be used", "Check the media's type, size and address.")],
  [131055, caller("Only marketing templates are allowed here", "Use a marketing template.")],
  [131056, { ...later("Too many messages from this line to this recipient", 6), throttled: "pair" }],
  [131057, later("The line is in maintenance", 120)],
  [131062, caller("This recipient id cannot take the template", "Send it to a phone number.")],
  [131063, platform("Marketing messages are turned off for the business account")],
  [131064, platform("The messaging limit was lowered after wrongly classified templates")],
  [
    132000,
    { ...caller("The number of parameters differs from the template", SEND_ITS_VARIABLES), template: "differs" },
  ],
  [132001, { ...caller("The template is not approved in this language", APPROVED_ONLY), template: "not_approved" }],
  [132005, caller("The filled-in text is too long", "Shorten the values.")],
  [132007, caller("The content breaks a format or policy rule", "Change the content that the details name.")],
  [132008, caller("A template parameter value is not valid", "Correct the value that the details name.")],
  [
    132012,
    { ...caller("The format of a parameter differs from the template", SEND_ITS_VARIABLES), template: "differs" },
  ],
  [132015, { ...caller("The template is paused", APPROVED_ONLY), template: "not_approved" }],
  [132016, { ...caller("The template is disabled", APPROVED_ONLY), template: "not_approved" }],
  [132018, caller("A template parameter has a newline, a tab or too many spaces", "Put the value on one line.")],
  [132068, caller("The flow is blocked", "The owner of the flow must fix it in WhatsApp Manager.")],
  [132069, callerLater("The flow is throttled", HOUR)],
  [133000, platform("The line's deregistration is incomplete", REGISTER)],
  [133004, later("WhatsApp is unavailable for a moment", SECONDS_OF_OUTAGE)],
  [133005, platform("The line's PIN is wrong", REGISTER)],
  [133006, platform("The line's number must be verified first", REGISTER)],
  [133008, platform("Too many PIN guesses for the line", REGISTER)],
  [133009, platform("The line's PIN was entered too fast", REGISTER)],
  [133010, platform("The line's number is not registered", REGISTER)],
  [133015, later("The line's number was deleted a moment ago", 300)],
  [133016, later("Too many registrations of the line", HOUR)],
  [134011, platform("The payment terms are not accepted", SETTLE_BILLING)],
  [134100, caller("Only marketing templates are allowed here", "Use a marketing template.")],
  [134101, later("The template is still being synced", 600)],
  [134102, platform("The template is not available here")],
  [135000, caller("WhatsApp rejected the message's parameters", "Check the parameters against the template.")],
  [137000, caller("The recipient's identity has changed", "Your business must confirm who the recipient is first.")],
  [2494100, later("The line's number is in maintenance", 120)],
]);
