// Generated from the OpenAPI document by `npm run clients:release`. Change the API's schemas, not this file.

export type MessageStatus = "PENDING" | "UNKNOWN" | "SENT" | "DELIVERED" | "READ" | "FAILED";

export type ErrorCode =
  | "VALIDATION_ERROR"
  | "PHONE_NUMBER_REQUIRED"
  | "PHONE_NUMBER_NOT_FOUND"
  | "PHONE_NUMBER_INACTIVE"
  | "NO_PHONE_NUMBER"
  | "TEMPLATE_NOT_APPROVED"
  | "CHAT_GRAPH_ERROR"
  | "UNAUTHORIZED"
  | "PLAN_LIMIT_EXCEEDED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "IDEMPOTENCY_CONFLICT"
  | "PAYLOAD_TOO_LARGE"
  | "RATE_LIMIT_EXCEEDED"
  | "INTERNAL_ERROR"
  | "SERVICE_UNAVAILABLE";

export type Message = {
  /** Our id of the message, by which its status is read. */
  id: string;
  /**
   * No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when it is retried under
   * its key.
   */
  status: MessageStatus;
  /** WhatsApp’s id, once it has accepted the message. */
  chatMessageId: string | null;
  /** Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`. */
  failureReason: string | null;
  /** When WhatsApp accepted it. */
  sentAt: string | null;
  /** When it reached the recipient’s device. */
  deliveredAt: string | null;
  /** When it was opened; never, where read receipts are off. */
  readAt: string | null;
  /** When we took the send. */
  createdAt: string;
  /** True where this key had sent it before, and nothing was sent now. */
  idempotentReplay: boolean;
};

export type TemplateVariable = {
  /** The key in `templateVariables`. */
  key: string;
  /** Every place that takes the value: `body`, `button 0 url`. */
  where: string[];
  /** The template’s own sample. */
  example: string | null;
  /** In characters; null where there is no limit of ours. */
  maxLength: number | null;
  /** Whether a send without it is refused. */
  required: boolean;
  /** Where there is a choice: the keys of which a send brings exactly one, this one among them. */
  oneOf?: string[];
  /** Only there where no string can fill the place: send `templateComponents`. Otherwise `templateVariables` does. */
  fillWith?: "templateComponents";
};

export type Template = {
  /** Our id of the template. */
  id: string;
  /** What `templateName` takes. */
  name: string;
  /** What `templateLanguage` takes. */
  language: string;
  /** `UTILITY`, `MARKETING` or `AUTHENTICATION`. */
  category: string;
  /** Always `APPROVED` in this list. */
  status: string;
  /** `POSITIONAL` for `{{1}}`, `NAMED` for `{{order_number}}`. */
  parameterFormat: string;
  /** Its parts, as WhatsApp writes them. */
  components: unknown;
  /** The keys that a send fills. */
  variables: TemplateVariable[];
  /** WhatsApp’s: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where it gave none. */
  qualityScore: string | null;
  /** The lines of its business account, paused ones included. */
  phoneNumberIds: string[];
  /** When we last saw it change. */
  updatedAt: string;
};

export type MessageEventDataPricing = {
  /** False where WhatsApp does not charge for it. */
  billable: boolean;
  /** Such as `regular` or `free_customer_service`. */
  type: string | null;
  /** Such as `utility`, `marketing`, `authentication` or `service`. */
  category: string;
  /** `PMP`: per message. */
  model: string | null;
};

/** The message, as its status request returned it when the event was stored. */
export type MessageEventData = {
  /** Our id of the message, by which its status is read. */
  id: string;
  /**
   * No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when it is retried under
   * its key.
   */
  status: MessageStatus;
  /** WhatsApp’s id, once it has accepted the message. */
  chatMessageId: string | null;
  /** Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`. */
  failureReason: string | null;
  /** When WhatsApp accepted it. */
  sentAt: string | null;
  /** When it reached the recipient’s device. */
  deliveredAt: string | null;
  /** When it was opened; never, where read receipts are off. */
  readAt: string | null;
  /** When we took the send. */
  createdAt: string;
  /** True where this key had sent it before, and nothing was sent now. */
  idempotentReplay: boolean;
  /** Our id of the person: the same after a change of number. Sends take it in place of `phone`. */
  contactId: string;
  /** The key that you sent it with; null without one. */
  idempotencyKey: string | null;
  /**
   * How WhatsApp charges for it, in its words, which may be new ones. It names no amount. Null where no status with a
   * price had arrived when the event was stored.
   */
  pricing: MessageEventDataPricing | null;
};

export type MessageEvent = {
  /** What happened. */
  type: "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unknown";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** The message, as its status request returned it when the event was stored. */
  data: MessageEventData;
};

export type MessageReceivedEventDataMedia = {
  /** Such as `image`. */
  type: string;
  /** Such as `image/jpeg`. */
  mimeType: string;
  /** Of the file, in base64. */
  sha256: string | null;
  /** WhatsApp’s media id. The file is not stored here. */
  id: string;
  /** Of a document. The sender chose it. */
  fileName: string | null;
  /** True for a voice note. */
  voice: boolean;
  /** True for an animated sticker. */
  animated: boolean;
};

export type MessageReceivedEventDataLocation = {
  /** In degrees. */
  latitude: number;
  /** In degrees. */
  longitude: number;
  /** Of the place. */
  name: string | null;
  /** Of the place. */
  address: string | null;
  /** Of the place. */
  url: string | null;
};

export type MessageReceivedEventDataContextProduct = {
  /** WhatsApp’s id of the catalog. */
  catalogId: string | null;
  /** Your id of the product. */
  productRetailerId: string | null;
};

export type MessageReceivedEventDataContext = {
  /** WhatsApp’s id of the message that they answered, yours or theirs. */
  chatMessageId: string | null;
  /** True where they forwarded it from another chat. */
  forwarded: boolean;
  /** True where it had been forwarded many times before. */
  frequentlyForwarded: boolean;
  /** The product that they ask about. */
  product: MessageReceivedEventDataContextProduct | null;
};

export type MessageReceivedEventDataReferral = {
  /** `ad` or `post`. */
  sourceType: string | null;
  /** Meta’s id of the ad or post. */
  sourceId: string | null;
  /** Its address. */
  sourceUrl: string | null;
  /** Its headline. */
  headline: string | null;
  /** Its text. */
  body: string | null;
  /** `image` or `video`. */
  mediaType: string | null;
  /** Of its picture. */
  imageUrl: string | null;
  /** Of its video. */
  videoUrl: string | null;
  /** Of its preview. */
  thumbnailUrl: string | null;
  /** Meta’s id of the click, for its conversions API. */
  clickId: string | null;
};

export type MessageReceivedEventDataReplyTo = {
  /** Our id of it. */
  messageId: string;
  /** The key that you sent it with; null without one. */
  idempotencyKey: string | null;
};

/** What they wrote. */
export type MessageReceivedEventData = {
  /** Our id of what the person wrote: the same in every repetition. */
  id: string;
  /** Our id of the person: the same after a change of number. Sends take it in place of `phone`. */
  contactId: string;
  /** Our id of the line, which `phoneNumberId` of a send takes. */
  phoneNumberId: string;
  /**
   * `text`, `button`, `list`, `flow`, `call_permission_reply`, `reaction`, `location`, `contacts`, `order`, `image`,
   * `video`, `audio`, `document`, `sticker` or `unsupported`. WhatsApp may add types.
   */
  type: string;
  /**
   * What they wrote: the text, the title of the button or row, a caption, the emoji of a reaction, `accept` or `reject`
   * of a call.
   */
  text: string | null;
  /**
   * The id of the button or row, or the JSON of a flow’s answer, an order, contact cards, and of every type that has no
   * field here.
   */
  payload: string | null;
  /** True where it is longer than 65,536 characters: `text` was cut, and JSON in `payload` was left out. */
  truncated: boolean;
  /** A file that they sent, without its bytes. */
  media: MessageReceivedEventDataMedia | null;
  /** A place that they sent. */
  location: MessageReceivedEventDataLocation | null;
  /** What it refers to; null for a message that stands alone. */
  context: MessageReceivedEventDataContext | null;
  /** The ad or post whose button brought them here. */
  referral: MessageReceivedEventDataReferral | null;
  /** Your message that they answered, where they answered a certain one. */
  replyTo: MessageReceivedEventDataReplyTo | null;
  /** WhatsApp’s id of what they wrote. It contains their number. */
  chatMessageId: string | null;
  /** The name that they show in WhatsApp. They choose it themselves. */
  name: string | null;
  /** Their user name at WhatsApp, where they have one. */
  username: string | null;
};

export type MessageReceivedEvent = {
  /** What happened. */
  type: "message.received";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** What they wrote. */
  data: MessageReceivedEventData;
};

/** Who, and how. */
export type ContactPreferenceEventData = {
  /** Our id of the person: the same after a change of number. Sends take it in place of `phone`. */
  contactId: string;
  /** Our id of the line, which `phoneNumberId` of a send takes. */
  phoneNumberId: string;
  /** In WhatsApp’s own settings, or by a stop word of the workspace. */
  source: "whatsapp" | "word";
};

export type ContactPreferenceEvent = {
  /** What happened. */
  type: "contact.opted_out" | "contact.opted_in";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** Who, and how. */
  data: ContactPreferenceEventData;
};

/** What is new, and what they left. */
export type ContactChangedEventData = {
  /** Our id of the person: the same after a change of number. Sends take it in place of `phone`. */
  contactId: string;
  /** The new number; null where it did not change, or is not known. */
  phone: string | null;
  /** The number that they left. */
  previousPhone: string | null;
  /** The new user id at WhatsApp. */
  userId: string | null;
  /** The user id that they left. */
  previousUserId: string | null;
  /** Another id of ours that turned out to be the same person. Sends still take it. */
  mergedContactId: string | null;
};

export type ContactChangedEvent = {
  /** What happened. */
  type: "contact.changed";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** What is new, and what they left. */
  data: ContactChangedEventData;
};

/** The template as the event left it. */
export type TemplateEventData = {
  /** Our id of the template. */
  id: string;
  /** What `templateName` takes. */
  name: string;
  /** What `templateLanguage` takes. */
  language: string;
  /** `UTILITY`, `MARKETING` or `AUTHENTICATION`. */
  category: string;
  /** Its status after the event. */
  status: "APPROVED" | "REJECTED" | "PAUSED" | "DISABLED";
  /** WhatsApp’s reason; null unless it was rejected. */
  rejectedReason: string | null;
};

export type TemplateEvent = {
  /** What happened. */
  type: "template.approved" | "template.rejected" | "template.paused" | "template.disabled";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** The template as the event left it. */
  data: TemplateEventData;
};

/** The alert as the event left it. */
export type AlertEventData = {
  /** Our id of the alert: the same when it is over. */
  id: string;
  /** What it is about, such as `token.invalid`. New kinds may be added. */
  kind: string;
  /** `critical`: sends fail, or will. */
  severity: "critical" | "warning";
  /** What an owner reads in the dashboard. Holds no secret and no recipient. */
  sentence: string;
  /** Our id of the line, template, key, endpoint or workspace that it is about; WhatsApp’s of a portfolio. */
  subjectId: string;
  /** The page where it can be fixed. */
  url: string;
  /** When it was seen first. */
  openedAt: string;
  /** When it was over; null until then. */
  closedAt: string | null;
};

export type AlertEvent = {
  /** What happened. */
  type: "alert.opened" | "alert.closed";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** The alert as the event left it. */
  data: AlertEventData;
};

/** No subject: an owner or admin sent it from the endpoint’s page. */
export type WebhookTestEventData = {
  /** A sentence that says that the endpoint works. */
  message: string;
};

export type WebhookTestEvent = {
  /** What happened. */
  type: "webhook.test";
  /** When it happened, by WhatsApp’s clock where WhatsApp reported it. */
  timestamp: string;
  /**
   * Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.
   */
  sequence: number;
  /** No subject: an owner or admin sent it from the endpoint’s page. */
  data: WebhookTestEventData;
};

export type ErrorDetailsIssue = {
  /** Where: `carousel.cards[0].header`. */
  path: string;
  /** What is wrong, and what is right. */
  message: string;
};

/** What WhatsApp returned, in its own words; its code alone where `refusedBy` is set. */
export type ErrorDetailsPlatform = {
  /** WhatsApp’s error code. */
  code: number | null;
  /** Its subcode. */
  subcode: number | null;
  /** Its title. */
  title: string | null;
  /** Its explanation. */
  details: string | null;
  /** Names the call in WhatsApp’s own logs. */
  fbtraceId: string | null;
};

/** More of some codes: their pages say what. */
export type ErrorDetails = {
  /** Names this call in the dashboard’s log of requests. */
  requestId: string;
  /** The page of the code. */
  docsUrl: string;
  /** The first field that is at fault. */
  field?: string;
  /** Every fault found, the first 100. Values are checked against the template once the request itself is right. */
  issues?: ErrorDetailsIssue[];
  /** Whether the same call, with the same idempotency key, may pass later. */
  retryable?: boolean;
  /** How long to wait first. Also the header `Retry-After`. */
  retryAfterSeconds?: number;
  /** Of `CHAT_GRAPH_ERROR`: `unknown` where the message may have been sent all the same. */
  outcome?: "not_sent" | "unknown";
  /** The message that the call or its idempotency key belongs to. */
  messageId?: string;
  /** What WhatsApp returned, in its own words; its code alone where `refusedBy` is set. */
  platform?: ErrorDetailsPlatform;
  /** Of `CHAT_GRAPH_ERROR`: set if WhatsApp was not called, because it would refuse the message. */
  refusedBy?: "switchboard";
  /** Of code 131050: when the person stopped marketing messages. */
  optedOutAt?: string;
  /** Of code 131050: whether they did so in WhatsApp, or with a stop word of the workspace. */
  optOutSource?: "whatsapp" | "word";
  /** Of `RATE_LIMIT_EXCEEDED`: which limit was reached. */
  scope?: "ip" | "key";
  /** Of `RATE_LIMIT_EXCEEDED` and `PLAN_LIMIT_EXCEEDED`: the limit. */
  limit?: number;
  /** Of `PLAN_LIMIT_EXCEEDED`: how many messages of this month’s quota are used. */
  used?: number;
  /** Of `PLAN_LIMIT_EXCEEDED`: when the next month’s quota begins. */
  resetsAt?: string;
  [more: string]: unknown;
};

export type WebhookEvent =
  | MessageEvent
  | MessageReceivedEvent
  | ContactPreferenceEvent
  | ContactChangedEvent
  | TemplateEvent
  | AlertEvent
  | WebhookTestEvent;
