/** When a status happens by default, in milliseconds after the message was accepted. */
export type Delays = { sent: number; delivered: number; read: number };

/** The name of a delay, or milliseconds after the message was accepted. */
export type Moment = keyof Delays | number;

/** One status webhook to come. */
export type Step = {
  status: "sent" | "delivered" | "read" | "failed";
  /** When it happened, as its timestamp says. */
  at: Moment;
  /** When it is delivered, where that is later. */
  toldAt?: Moment;
  copies?: number;
  /** Why it failed. */
  errorCode?: number;
};

export type Answer =
  | { kind: "accepted"; afterMs?: number; stepsBefore?: number }
  | { kind: "refused"; code: number; subcode?: number; details: string }
  /** The edge in front of WhatsApp failed: no JSON. */
  | { kind: "html"; httpStatus: number }
  /** Accepted, but the answer's body breaks off. */
  | { kind: "unreadable" };

export type Behaviour = { answer: Answer; steps: readonly Step[] };

export const DEFAULT_DELAYS_MS: Delays = { sent: 300, delivered: 900, read: 1_800 };

const TEST_NUMBERS = "447700900";
const SENT: Step = { status: "sent", at: "sent" };
const DELIVERED: Step = { status: "delivered", at: "delivered" };
const READ: Step = { status: "read", at: "read" };

/** How WhatsApp treats a recipient: test numbers as their table says, all others are sent, delivered and read. */
export const behaviourOf = (whatsappId: string): Behaviour => {
  const known = whatsappId.startsWith(TEST_NUMBERS) ? BEHAVIOURS.get(whatsappId.slice(TEST_NUMBERS.length)) : undefined;
  return known ?? accepted([SENT, DELIVERED, READ]);
};

const accepted = (steps: readonly Step[], answer: Omit<Answer & { kind: "accepted" }, "kind"> = {}): Behaviour => ({
  answer: { kind: "accepted", ...answer },
  steps,
});

const failed = (errorCode: number): Step => ({ status: "failed", at: "sent", errorCode });

const refused = (code: number, details: string, subcode?: number): Behaviour => ({
  answer: { kind: "refused", code, details, ...(subcode === undefined ? {} : { subcode }) },
  steps: [],
});

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ["001", accepted([SENT])],
  ["002", accepted([SENT, DELIVERED])],
  ["003", accepted([SENT, DELIVERED, READ])],
  ["004", accepted([SENT, READ])],
  ["005", accepted([READ, { ...DELIVERED, toldAt: "read" }, { ...SENT, toldAt: "read" }])],
  ["006", accepted([SENT, DELIVERED, READ].map((step) => ({ ...step, copies: 3 })))],
  ["007", accepted([SENT, { ...DELIVERED, at: 60_000 }])],
  ["008", accepted([{ ...SENT, at: 0 }, DELIVERED, READ], { stepsBefore: 1 })],
  ["009", accepted([failed(131026), { ...DELIVERED, toldAt: "read" }])],
  ["010", accepted([SENT, DELIVERED], { afterMs: 5_000 })],
  ["126", accepted([failed(131026)])],
  ["142", accepted([failed(131042)])],
  ["147", accepted([failed(131047)])],
  ["149", accepted([failed(131049)])],
  ["150", accepted([failed(131050)])],
  ["199", accepted([failed(199999)])],
  ["100", refused(100, "Param to is not valid.")],
  ["190", refused(190, "Error validating access token: Session has expired.", 463)],
  ["200", refused(132000, "body: number of localizable_params (1) does not match the expected number of params (2)")],
  ["201", refused(132001, "template name does not exist in the requested language")],
  ["205", refused(132005, "body: hydrated text has 1025 characters, at most 1024")],
  ["212", refused(132012, "header: Format mismatch, expected IMAGE, received TEXT")],
  ["215", refused(132015, "template is paused due to low quality")],
  ["216", refused(132016, "template is disabled due to low quality")],
  ["256", refused(131056, "Too many messages to this recipient in a short time.")],
  ["229", refused(130429, "The number's message throughput is reached.")],
  ["231", refused(131031, "The business account is locked.")],
  ["502", { answer: { kind: "html", httpStatus: 502 }, steps: [] }],
  ["504", accepted([SENT, DELIVERED, READ], { afterMs: 12_000 })],
  ["299", { answer: { kind: "unreadable" }, steps: [SENT, DELIVERED, READ] }],
]);

/** The test numbers and what each does. */
export const TEST_RECIPIENTS: readonly { phone: string; behaviour: Behaviour }[] = [...BEHAVIOURS].map(
  ([ending, behaviour]) => ({ phone: `${TEST_NUMBERS}${ending}`, behaviour }),
);
