import { GATEWAY_NUMBERS } from "./gateway-numbers";

/** Default status times, in milliseconds after the message was accepted. */
export type Delays = { sent: number; delivered: number; read: number };

/** The name of a delay, or milliseconds after the message was accepted. */
export type Moment = keyof Delays | number;

/** One scheduled status webhook. */
export type Step = {
  status: "sent" | "delivered" | "read" | "failed";
  /** The status time, which is the webhook's timestamp. */
  at: Moment;
  /** When the webhook is delivered, if later. */
  deliveredAt?: Moment;
  copies?: number;
  /** Why it failed. */
  errorCode?: number;
};

export type Answer =
  | { kind: "accepted"; afterMs?: number; stepsBefore?: number }
  | { kind: "refused"; code: number; subcode?: number | undefined; details: string }
  /** The proxy in front of WhatsApp failed: no JSON. */
  | { kind: "html"; httpStatus: number }
  /** Accepted, but the response body is truncated. */
  | { kind: "unreadable" };

/** What the person does after the last status: writes, chooses the first button or row, or stops or allows marketing. */
export type Reaction = "writes" | "chooses" | "stop" | "resume";

export type Behaviour = { answer: Answer; steps: readonly Step[]; reaction?: Reaction };

export const DEFAULT_DELAYS_MS: Delays = { sent: 300, delivered: 900, read: 1_800 };
/** From a message's last status to the person's reaction. */
export const REACTS_AFTER_MS = 700;

const PREFIX = "447700900";
const SENT: Step = { status: "sent", at: "sent" };
const DELIVERED: Step = { status: "delivered", at: "delivered" };
const READ: Step = { status: "read", at: "read" };

/** Returns a recipient's behavior: by the table for test numbers; all others are sent, delivered and read. */
export function behaviourOf(whatsappId: string): Behaviour {
  return BEHAVIOURS.get(whatsappId) ?? accepted([SENT, DELIVERED, READ]);
}

const accepted = (steps: readonly Step[], answer: Omit<Answer & { kind: "accepted" }, "kind"> = {}): Behaviour => ({
  answer: { kind: "accepted", ...answer },
  steps,
});

const failed = (errorCode: number): Step => ({ status: "failed", at: "sent", errorCode });

const refused = (code: number, details: string, subcode?: number): Behaviour => ({
  answer: { kind: "refused", code, details, subcode },
  steps: [],
});

/** The last digits of each test number, a short description, and its behavior. */
const TABLE: readonly (readonly [ending: string, result: string, behaviour: Behaviour])[] = [
  ["003", "Delivered, then read", accepted([SENT, DELIVERED, READ])],
  ["002", "Delivered, never read", accepted([SENT, DELIVERED])],
  ["001", "Sent, never delivered", accepted([SENT])],
  ["004", "Read without a delivery event", accepted([SENT, READ])],
  [
    "005",
    "Webhooks in reverse order",
    accepted([READ, { ...DELIVERED, deliveredAt: "read" }, { ...SENT, deliveredAt: "read" }]),
  ],
  ["006", "Every webhook three times", accepted([SENT, DELIVERED, READ].map((step) => ({ ...step, copies: 3 })))],
  ["007", "Delivered after a minute", accepted([SENT, { ...DELIVERED, at: 60_000 }])],
  ["008", "Sent, reported before the response", accepted([{ ...SENT, at: 0 }, DELIVERED, READ], { stepsBefore: 1 })],
  ["009", "Failed, then delivered", accepted([failed(131026), { ...DELIVERED, deliveredAt: "read" }])],
  ["010", "Pending for 5 s, then delivered", accepted([SENT, DELIVERED], { afterMs: 5_000 })],
  ["300", "Read, then they write", { ...accepted([SENT, DELIVERED, READ]), reaction: "writes" }],
  ["301", "Read, then they choose a button", { ...accepted([SENT, DELIVERED, READ]), reaction: "chooses" }],
  ["302", "Read, then they stop marketing", { ...accepted([SENT, DELIVERED, READ]), reaction: "stop" }],
  ["303", "Read, then they allow marketing", { ...accepted([SENT, DELIVERED, READ]), reaction: "resume" }],
  ["126", "Fails: cannot be reached (131026)", accepted([failed(131026)])],
  ["142", "Fails: payment problem (131042)", accepted([failed(131042)])],
  ["147", "Fails: more than 24 hours (131047)", accepted([failed(131047)])],
  ["149", "Fails: marketing withheld (131049)", accepted([failed(131049)])],
  ["150", "Fails: marketing stopped (131050)", accepted([failed(131050)])],
  ["199", "Fails: an undocumented code", accepted([failed(199999)])],
  ["100", "Refused: invalid parameter (100)", refused(100, "Param to is not valid.")],
  ["190", "Refused: token expired (190)", refused(190, "Error validating access token: Session has expired.", 463)],
  [
    "200",
    "Refused: parameter count (132000)",
    refused(132000, "body: number of localizable_params (1) does not match the expected number of params (2)"),
  ],
  [
    "201",
    "Refused: no such translation (132001)",
    refused(132001, "template name does not exist in the requested language"),
  ],
  ["205", "Refused: text too long (132005)", refused(132005, "body: hydrated text has 1025 characters, at most 1024")],
  [
    "212",
    "Refused: format mismatch (132012)",
    refused(132012, "header: Format mismatch, expected IMAGE, received TEXT"),
  ],
  ["215", "Refused: template paused (132015)", refused(132015, "template is paused due to low quality")],
  ["216", "Refused: template disabled (132016)", refused(132016, "template is disabled due to low quality")],
  [
    "256",
    "Refused: too many to one person (131056)",
    refused(131056, "Too many messages to this recipient in a short time."),
  ],
  ["229", "Refused: throughput reached (130429)", refused(130429, "The number's message throughput is reached.")],
  ["231", "Refused: account locked (131031)", refused(131031, "The business account is locked.")],
  ["502", "WhatsApp is down (502)", { answer: { kind: "html", httpStatus: 502 }, steps: [] }],
  ["504", "WhatsApp responds too late (504)", accepted([SENT, DELIVERED, READ], { afterMs: 12_000 })],
  ["299", "Unreadable response, then delivered", { answer: { kind: "unreadable" }, steps: [SENT, DELIVERED, READ] }],
];

/** The test numbers, what each is for, and what it does. */
export const TEST_RECIPIENTS: readonly { phone: string; result: string; behaviour: Behaviour }[] = TABLE.map(
  ([ending, result, behaviour]) => ({ phone: `${PREFIX}${ending}`, result, behaviour }),
);

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  TEST_RECIPIENTS.map(({ phone, behaviour }) => [phone, behaviour]),
);

/** Test-mode recipients that determine the outcome, reserved for fiction. Any other number is delivered and read. */
export const TEST_NUMBERS: readonly { phone: string; result: string }[] = [...TEST_RECIPIENTS, ...GATEWAY_NUMBERS].map(
  ({ phone, result }) => ({ phone, result }),
);
