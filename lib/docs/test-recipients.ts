import { type Behaviour, type Reaction, type Step, TEST_RECIPIENTS } from "@/lib/sandbox/recipients";
import { classify } from "@/lib/whatsapp/errors";

type RecipientRow = {
  phone: string;
  /** The HTTP status of the send. */
  httpStatus: 201 | 400 | 502;
  /** Whether a 502 leaves open that the message was sent. */
  isUnknown: boolean;
  /** WhatsApp's code, in the response or in the webhook that fails the message. */
  platformCode: number | null;
  /** The outcome of the message. */
  follows: string;
};

/** What the sandbox does with each test number, as a caller sees it. */
export function recipientRows(): RecipientRow[] {
  return TEST_RECIPIENTS.map(({ phone, behaviour }) => ({
    phone,
    follows: followsOf(behaviour),
    ...answerOf(behaviour),
  }));
}

/** How long a send waits for WhatsApp's response. */
const WAITED_FOR_MS = 10_000;

function answerOf({ answer, steps }: Behaviour): Pick<RecipientRow, "httpStatus" | "isUnknown" | "platformCode"> {
  if (answer.kind === "refused") {
    const { code, subcode = null } = answer;
    const nothing = { title: null, message: null, details: null, fbtraceId: null, isTransient: false };
    const judgement = classify(400, { code, subcode, ...nothing });
    const isCallers = judgement.outcome === "refused" && judgement.blame === "caller";
    return { httpStatus: isCallers ? 400 : 502, isUnknown: judgement.outcome === "unknown", platformCode: code };
  }
  const isUnknown = answer.kind !== "accepted" || (answer.afterMs ?? 0) > WAITED_FOR_MS;
  const failure = steps.find(({ errorCode }) => errorCode !== undefined);
  return { httpStatus: isUnknown ? 502 : 201, isUnknown, platformCode: failure?.errorCode ?? null };
}

function followsOf({ answer, steps, reaction }: Behaviour): string {
  if (answer.kind === "refused") return "Nothing: it is `FAILED` at once.";
  if (steps.length === 0) return "Nothing: it stays `UNKNOWN`.";
  const statuses = steps.map(wordOf).join(", then ");
  const { afterMs = 0 } = answer.kind === "accepted" ? answer : {};
  const wait = afterMs === 0 || afterMs > WAITED_FOR_MS ? "" : `\`PENDING\` for ${afterMs / 1_000} s, then `;
  const isEarly = answer.kind === "accepted" && answer.stepsBefore !== undefined;
  const copies = steps.find((step) => step.copies !== undefined)?.copies;
  return `${wait}${statuses}${copies === undefined ? "" : `, each sent ${copies} times`}${isEarly ? ", the first even before the response" : ""}.${reaction ? ` Then ${REACTIONS[reaction]}.` : ""}`;
}

const REACTIONS: Record<Reaction, string> = {
  writes: "they write a text: `message.received`",
  chooses: "they choose the first button or row: `message.received`",
  stop: "they stop marketing messages: `contact.opted_out`",
  resume: "they allow marketing messages: `contact.opted_in`",
};

function wordOf({ status, at }: Step): string {
  const word = `\`${status.toUpperCase()}\``;
  return typeof at === "number" && at > 0 ? `${word} after ${at / 1_000} s` : word;
}
