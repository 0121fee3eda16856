# Generated from the OpenAPI document by `npm run clients:release`.
# Change the API's schemas, not this file.

"""What the API returns and posts to webhooks, with the names of its JSON."""

from __future__ import annotations

from typing import Any, List, Literal, Optional, TypedDict, Union

__all__ = [
    "AlertEvent",
    "AlertEventData",
    "ContactChangedEvent",
    "ContactChangedEventData",
    "ContactPreferenceEvent",
    "ContactPreferenceEventData",
    "ErrorCode",
    "ErrorDetails",
    "ErrorDetailsIssue",
    "ErrorDetailsPlatform",
    "Message",
    "MessageEvent",
    "MessageEventData",
    "MessageEventDataPricing",
    "MessageReceivedEvent",
    "MessageReceivedEventData",
    "MessageReceivedEventDataContext",
    "MessageReceivedEventDataContextProduct",
    "MessageReceivedEventDataLocation",
    "MessageReceivedEventDataMedia",
    "MessageReceivedEventDataReferral",
    "MessageReceivedEventDataReplyTo",
    "MessageStatus",
    "Template",
    "TemplateEvent",
    "TemplateEventData",
    "TemplateVariable",
    "WebhookEvent",
    "WebhookTestEvent",
    "WebhookTestEventData",
]

MessageStatus = Literal[
    "PENDING",
    "UNKNOWN",
    "SENT",
    "DELIVERED",
    "READ",
    "FAILED",
]

ErrorCode = Literal[
    "VALIDATION_ERROR",
    "PHONE_NUMBER_REQUIRED",
    "PHONE_NUMBER_NOT_FOUND",
    "PHONE_NUMBER_INACTIVE",
    "NO_PHONE_NUMBER",
    "TEMPLATE_NOT_APPROVED",
    "CHAT_GRAPH_ERROR",
    "UNAUTHORIZED",
    "PLAN_LIMIT_EXCEEDED",
    "FORBIDDEN",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "IDEMPOTENCY_CONFLICT",
    "PAYLOAD_TOO_LARGE",
    "RATE_LIMIT_EXCEEDED",
    "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE",
]


class Message(TypedDict):
    id: str
    """Our id of the message, by which its status is read."""
    status: MessageStatus
    """No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when
    it is retried under its key.
    """
    chatMessageId: Optional[str]
    """WhatsApp’s id, once it has accepted the message."""
    failureReason: Optional[str]
    """Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`."""
    sentAt: Optional[str]
    """When WhatsApp accepted it."""
    deliveredAt: Optional[str]
    """When it reached the recipient’s device."""
    readAt: Optional[str]
    """When it was opened; never, where read receipts are off."""
    createdAt: str
    """When we took the send."""
    idempotentReplay: bool
    """True where this key had sent it before, and nothing was sent now."""


class _TemplateVariableRequired(TypedDict):
    key: str
    """The key in `templateVariables`."""
    where: List[str]
    """Every place that takes the value: `body`, `button 0 url`."""
    example: Optional[str]
    """The template’s own sample."""
    maxLength: Optional[int]
    """In characters; null where there is no limit of ours."""
    required: bool
    """Whether a send without it is refused."""


class TemplateVariable(_TemplateVariableRequired, total=False):
    oneOf: List[str]
    """Where there is a choice: the keys of which a send brings exactly one, this one among them."""
    fillWith: Literal["templateComponents"]
    """Only there where no string can fill the place: send `templateComponents`. Otherwise
    `templateVariables` does.
    """


class Template(TypedDict):
    id: str
    """Our id of the template."""
    name: str
    """What `templateName` takes."""
    language: str
    """What `templateLanguage` takes."""
    category: str
    """`UTILITY`, `MARKETING` or `AUTHENTICATION`."""
    status: str
    """Always `APPROVED` in this list."""
    parameterFormat: str
    """`POSITIONAL` for `{{1}}`, `NAMED` for `{{order_number}}`."""
    components: Any
    """Its parts, as WhatsApp writes them."""
    variables: List[TemplateVariable]
    """The keys that a send fills."""
    qualityScore: Optional[str]
    """WhatsApp’s: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where it gave none."""
    phoneNumberIds: List[str]
    """The lines of its business account, paused ones included."""
    updatedAt: str
    """When we last saw it change."""


class MessageEventDataPricing(TypedDict):
    billable: bool
    """False where WhatsApp does not charge for it."""
    type: Optional[str]
    """Such as `regular` or `free_customer_service`."""
    category: str
    """Such as `utility`, `marketing`, `authentication` or `service`."""
    model: Optional[str]
    """`PMP`: per message."""


class MessageEventData(TypedDict):
    """The message, as its status request returned it when the event was stored."""
    id: str
    """Our id of the message, by which its status is read."""
    status: MessageStatus
    """No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when
    it is retried under its key.
    """
    chatMessageId: Optional[str]
    """WhatsApp’s id, once it has accepted the message."""
    failureReason: Optional[str]
    """Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`."""
    sentAt: Optional[str]
    """When WhatsApp accepted it."""
    deliveredAt: Optional[str]
    """When it reached the recipient’s device."""
    readAt: Optional[str]
    """When it was opened; never, where read receipts are off."""
    createdAt: str
    """When we took the send."""
    idempotentReplay: bool
    """True where this key had sent it before, and nothing was sent now."""
    contactId: str
    """Our id of the person: the same after a change of number. Sends take it in place of `phone`.
    """
    idempotencyKey: Optional[str]
    """The key that you sent it with; null without one."""
    pricing: Optional[MessageEventDataPricing]
    """How WhatsApp charges for it, in its words, which may be new ones. It names no amount. Null
    where no status with a price had arrived when the event was stored.
    """


class MessageEvent(TypedDict):
    type: Literal["message.sent", "message.delivered", "message.read", "message.failed", "message.unknown"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: MessageEventData
    """The message, as its status request returned it when the event was stored."""


class MessageReceivedEventDataMedia(TypedDict):
    type: str
    """Such as `image`."""
    mimeType: str
    """Such as `image/jpeg`."""
    sha256: Optional[str]
    """Of the file, in base64."""
    id: str
    """WhatsApp’s media id. The file is not stored here."""
    fileName: Optional[str]
    """Of a document. The sender chose it."""
    voice: bool
    """True for a voice note."""
    animated: bool
    """True for an animated sticker."""


class MessageReceivedEventDataLocation(TypedDict):
    latitude: float
    """In degrees."""
    longitude: float
    """In degrees."""
    name: Optional[str]
    """Of the place."""
    address: Optional[str]
    """Of the place."""
    url: Optional[str]
    """Of the place."""


class MessageReceivedEventDataContextProduct(TypedDict):
    catalogId: Optional[str]
    """WhatsApp’s id of the catalog."""
    productRetailerId: Optional[str]
    """Your id of the product."""


class MessageReceivedEventDataContext(TypedDict):
    chatMessageId: Optional[str]
    """WhatsApp’s id of the message that they answered, yours or theirs."""
    forwarded: bool
    """True where they forwarded it from another chat."""
    frequentlyForwarded: bool
    """True where it had been forwarded many times before."""
    product: Optional[MessageReceivedEventDataContextProduct]
    """The product that they ask about."""


class MessageReceivedEventDataReferral(TypedDict):
    sourceType: Optional[str]
    """`ad` or `post`."""
    sourceId: Optional[str]
    """Meta’s id of the ad or post."""
    sourceUrl: Optional[str]
    """Its address."""
    headline: Optional[str]
    """Its headline."""
    body: Optional[str]
    """Its text."""
    mediaType: Optional[str]
    """`image` or `video`."""
    imageUrl: Optional[str]
    """Of its picture."""
    videoUrl: Optional[str]
    """Of its video."""
    thumbnailUrl: Optional[str]
    """Of its preview."""
    clickId: Optional[str]
    """Meta’s id of the click, for its conversions API."""


class MessageReceivedEventDataReplyTo(TypedDict):
    messageId: str
    """Our id of it."""
    idempotencyKey: Optional[str]
    """The key that you sent it with; null without one."""


class MessageReceivedEventData(TypedDict):
    """What they wrote."""
    id: str
    """Our id of what the person wrote: the same in every repetition."""
    contactId: str
    """Our id of the person: the same after a change of number. Sends take it in place of `phone`.
    """
    phoneNumberId: str
    """Our id of the line, which `phoneNumberId` of a send takes."""
    type: str
    """`text`, `button`, `list`, `flow`, `call_permission_reply`, `reaction`, `location`,
    `contacts`, `order`, `image`, `video`, `audio`, `document`, `sticker` or `unsupported`.
    WhatsApp may add types.
    """
    text: Optional[str]
    """What they wrote: the text, the title of the button or row, a caption, the emoji of a
    reaction, `accept` or `reject` of a call.
    """
    payload: Optional[str]
    """The id of the button or row, or the JSON of a flow’s answer, an order, contact cards, and of
    every type that has no field here.
    """
    truncated: bool
    """True where it is longer than 65,536 characters: `text` was cut, and JSON in `payload` was
    left out.
    """
    media: Optional[MessageReceivedEventDataMedia]
    """A file that they sent, without its bytes."""
    location: Optional[MessageReceivedEventDataLocation]
    """A place that they sent."""
    context: Optional[MessageReceivedEventDataContext]
    """What it refers to; null for a message that stands alone."""
    referral: Optional[MessageReceivedEventDataReferral]
    """The ad or post whose button brought them here."""
    replyTo: Optional[MessageReceivedEventDataReplyTo]
    """Your message that they answered, where they answered a certain one."""
    chatMessageId: Optional[str]
    """WhatsApp’s id of what they wrote. It contains their number."""
    name: Optional[str]
    """The name that they show in WhatsApp. They choose it themselves."""
    username: Optional[str]
    """Their user name at WhatsApp, where they have one."""


class MessageReceivedEvent(TypedDict):
    type: Literal["message.received"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: MessageReceivedEventData
    """What they wrote."""


class ContactPreferenceEventData(TypedDict):
    """Who, and how."""
    contactId: str
    """Our id of the person: the same after a change of number. Sends take it in place of `phone`.
    """
    phoneNumberId: str
    """Our id of the line, which `phoneNumberId` of a send takes."""
    source: Literal["whatsapp", "word"]
    """In WhatsApp’s own settings, or by a stop word of the workspace."""


class ContactPreferenceEvent(TypedDict):
    type: Literal["contact.opted_out", "contact.opted_in"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: ContactPreferenceEventData
    """Who, and how."""


class ContactChangedEventData(TypedDict):
    """What is new, and what they left."""
    contactId: str
    """Our id of the person: the same after a change of number. Sends take it in place of `phone`.
    """
    phone: Optional[str]
    """The new number; null where it did not change, or is not known."""
    previousPhone: Optional[str]
    """The number that they left."""
    userId: Optional[str]
    """The new user id at WhatsApp."""
    previousUserId: Optional[str]
    """The user id that they left."""
    mergedContactId: Optional[str]
    """Another id of ours that turned out to be the same person. Sends still take it."""


class ContactChangedEvent(TypedDict):
    type: Literal["contact.changed"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: ContactChangedEventData
    """What is new, and what they left."""


class TemplateEventData(TypedDict):
    """The template as the event left it."""
    id: str
    """Our id of the template."""
    name: str
    """What `templateName` takes."""
    language: str
    """What `templateLanguage` takes."""
    category: str
    """`UTILITY`, `MARKETING` or `AUTHENTICATION`."""
    status: Literal["APPROVED", "REJECTED", "PAUSED", "DISABLED"]
    """Its status after the event."""
    rejectedReason: Optional[str]
    """WhatsApp’s reason; null unless it was rejected."""


class TemplateEvent(TypedDict):
    type: Literal["template.approved", "template.rejected", "template.paused", "template.disabled"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: TemplateEventData
    """The template as the event left it."""


class AlertEventData(TypedDict):
    """The alert as the event left it."""
    id: str
    """Our id of the alert: the same when it is over."""
    kind: str
    """What it is about, such as `token.invalid`. New kinds may be added."""
    severity: Literal["critical", "warning"]
    """`critical`: sends fail, or will."""
    sentence: str
    """What an owner reads in the dashboard. Holds no secret and no recipient."""
    subjectId: str
    """Our id of the line, template, key, endpoint or workspace that it is about; WhatsApp’s of a
    portfolio.
    """
    url: str
    """The page where it can be fixed."""
    openedAt: str
    """When it was seen first."""
    closedAt: Optional[str]
    """When it was over; null until then."""


class AlertEvent(TypedDict):
    type: Literal["alert.opened", "alert.closed"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: AlertEventData
    """The alert as the event left it."""


class WebhookTestEventData(TypedDict):
    """No subject: an owner or admin sent it from the endpoint’s page."""
    message: str
    """A sentence that says that the endpoint works."""


class WebhookTestEvent(TypedDict):
    type: Literal["webhook.test"]
    """What happened."""
    timestamp: str
    """When it happened, by WhatsApp’s clock where WhatsApp reported it."""
    sequence: int
    """Counts the events of this message, contact or template. Gaps are events that the endpoint
    does not subscribe to.
    """
    data: WebhookTestEventData
    """No subject: an owner or admin sent it from the endpoint’s page."""


class ErrorDetailsIssue(TypedDict):
    path: str
    """Where: `carousel.cards[0].header`."""
    message: str
    """What is wrong, and what is right."""


class ErrorDetailsPlatform(TypedDict):
    """What WhatsApp returned, in its own words; its code alone where `refusedBy` is set."""
    code: Optional[int]
    """WhatsApp’s error code."""
    subcode: Optional[int]
    """Its subcode."""
    title: Optional[str]
    """Its title."""
    details: Optional[str]
    """Its explanation."""
    fbtraceId: Optional[str]
    """Names the call in WhatsApp’s own logs."""


class _ErrorDetailsRequired(TypedDict):
    requestId: str
    """Names this call in the dashboard’s log of requests."""
    docsUrl: str
    """The page of the code."""


class ErrorDetails(_ErrorDetailsRequired, total=False):
    """More of some codes: their pages say what."""
    field: str
    """The first field that is at fault."""
    issues: List[ErrorDetailsIssue]
    """Every fault found, the first 100. Values are checked against the template once the request
    itself is right.
    """
    retryable: bool
    """Whether the same call, with the same idempotency key, may pass later."""
    retryAfterSeconds: float
    """How long to wait first. Also the header `Retry-After`."""
    outcome: Literal["not_sent", "unknown"]
    """Of `CHAT_GRAPH_ERROR`: `unknown` where the message may have been sent all the same."""
    messageId: str
    """The message that the call or its idempotency key belongs to."""
    platform: ErrorDetailsPlatform
    """What WhatsApp returned, in its own words; its code alone where `refusedBy` is set."""
    refusedBy: Literal["switchboard"]
    """Of `CHAT_GRAPH_ERROR`: set if WhatsApp was not called, because it would refuse the message.
    """
    optedOutAt: str
    """Of code 131050: when the person stopped marketing messages."""
    optOutSource: Literal["whatsapp", "word"]
    """Of code 131050: whether they did so in WhatsApp, or with a stop word of the workspace."""
    scope: Literal["ip", "key"]
    """Of `RATE_LIMIT_EXCEEDED`: which limit was reached."""
    limit: int
    """Of `RATE_LIMIT_EXCEEDED` and `PLAN_LIMIT_EXCEEDED`: the limit."""
    used: int
    """Of `PLAN_LIMIT_EXCEEDED`: how many messages of this month’s quota are used."""
    resetsAt: str
    """Of `PLAN_LIMIT_EXCEEDED`: when the next month’s quota begins."""


WebhookEvent = Union[MessageEvent, MessageReceivedEvent, ContactPreferenceEvent, ContactChangedEvent, TemplateEvent, AlertEvent, WebhookTestEvent]
