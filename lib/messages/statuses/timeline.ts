import type { Message, MessageStatus, StatusEventRow } from "@/db/schema/messages";
import { pricingWords, type StoredPricing, storedPricing } from "./pricing";
import { rank, statusOfWord } from "./status";

type ReceivedEvent = Pick<
  StatusEventRow,
  "id" | "status" | "failureCode" | "failureReason" | "occurredAt" | "receivedAt"
> & {
  /** How often the same event was received again. */
  repeats: number;
  /** Whether WhatsApp's own object is still kept. */
  hasRaw: boolean;
};

export type TimelineSource = StoredPricing &
  Pick<Message, "phase" | "status" | "attempt" | "whatsappMessageId" | "whatsappMessageStatus"> &
  Pick<Message, "failureReason" | "failureCode" | "createdAt" | "dispatchedAt" | "sentAt" | "failedAt"> & {
    events: readonly ReceivedEvent[];
  };

/** One row of a message's history. */
export type TimelineStep = {
  id: string;
  /** What we did, or WhatsApp's word for what it did. */
  title: string | { status: string };
  at: Date | null;
  /** When its webhook came; null for what we know ourselves. */
  receivedAt: Date | null;
  /** The event behind it; null for what we know ourselves. */
  event: Pick<ReceivedEvent, "id" | "hasRaw"> | null;
  failure: { code: number | null; reason: string } | null;
  notes: string[];
};

/** Returns a message's history in the order we learned of it, including late and repeated events. */
export function timelineOf(message: TimelineSource): TimelineStep[] {
  return [
    ourStep("received", "Received by the API", message.createdAt, {
      notes: message.attempt > 1 ? [`Tried ${message.attempt} times; the last one counts.`] : [],
    }),
    ...outcomeOf(message),
    ...reportedSteps(message),
  ];
}

/** Returns the refresh interval of a message's page; null once no change is expected. */
export function refreshEveryMs(
  { status, createdAt, failedAt }: Pick<TimelineSource, "status" | "createdAt" | "failedAt">,
  now: Date,
): number | null {
  const ageMs = now.getTime() - createdAt.getTime();
  // A person may have several devices: after a failure on one the message can still arrive on another.
  const isFinal =
    status === "READ" || (status === "FAILED" && now.getTime() - (failedAt ?? createdAt).getTime() > MINUTE);
  if (isFinal || ageMs > 30 * DAY) return null;
  return ageMs < 2 * MINUTE ? 1_500 : ageMs < DAY ? 10_000 : 60_000;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const ourStep = (id: string, title: string, at: Date | null, more: Partial<TimelineStep> = {}): TimelineStep => ({
  id,
  title,
  at,
  receivedAt: null,
  event: null,
  failure: null,
  notes: [],
  ...more,
});

/** The result of the call to WhatsApp. */
function outcomeOf(message: TimelineSource): TimelineStep[] {
  const { phase, dispatchedAt, sentAt, failedAt, failureCode: code, failureReason } = message;
  if (message.whatsappMessageId !== null) {
    // A webhook's time has whole seconds, so it may lie before the call that it is about.
    const at = dispatchedAt && sentAt && sentAt < dispatchedAt ? dispatchedAt : sentAt;
    const tookMs = dispatchedAt && at && at > dispatchedAt ? at.getTime() - dispatchedAt.getTime() : null;
    const word = message.whatsappMessageStatus;
    return [
      ourStep("accepted", "Accepted by WhatsApp", at, {
        notes: [
          ...(tookMs === null || tookMs > MINUTE ? [] : [`It answered in ${tookMs} ms.`]),
          ...(word && word !== "accepted" ? [`WhatsApp status: ${word}.`] : []),
        ],
      }),
    ];
  }
  switch (phase) {
    case "ACCEPTED":
      return [];
    case "DISPATCHING":
      return [ourStep("dispatched", "On its way to WhatsApp", dispatchedAt)];
    case "REFUSED":
    case "REFUSED_RETRYABLE": {
      const title = code === null ? "Not sent" : "Refused by WhatsApp";
      const reason = failureReason ?? "WhatsApp gave no reason.";
      return [
        ourStep("refused", title, failedAt, {
          failure: { code, reason },
          notes: ["It does not count against the plan."],
        }),
      ];
    }
    default:
      return [
        ourStep("unknown", "No usable response from WhatsApp", dispatchedAt, {
          notes: ["It may or may not have been sent, and is never sent again. A webhook may still report its status."],
        }),
      ];
  }
}

function reportedSteps({ events, whatsappMessageId, ...message }: TimelineSource): TimelineStep[] {
  const steps: TimelineStep[] = [];
  const price = storedPricing(message);
  const pricedBy = price && events.find(({ occurredAt }) => occurredAt.getTime() === price.at.getTime());
  const hasDeliveredEvent = events.some(({ status }) => statusOfWord(status) === "DELIVERED");
  let highest: MessageStatus = whatsappMessageId === null ? "PENDING" : "SENT";
  for (const [event, ...others] of distinct(events)) {
    const repeats = others.reduce((sum, other) => sum + 1 + other.repeats, event.repeats);
    const status = statusOfWord(event.status);
    if (status === "READ" && !hasDeliveredEvent) {
      steps.push({
        ...ourStep(`${event.id} delivered`, "Delivered", event.occurredAt),
        notes: ["Implied by Read: WhatsApp sends no event of its own where the chat is open."],
      });
    }
    const failure = event.failureReason;
    steps.push({
      id: event.id,
      title: { status: (status ?? event.status).toUpperCase() },
      at: event.occurredAt,
      receivedAt: event.receivedAt,
      event: { id: event.id, hasRaw: event.hasRaw },
      failure: failure === null ? null : { code: event.failureCode, reason: failure },
      notes: [
        ...noteOf(status, highest),
        ...(price && pricedBy === event ? [`Pricing: ${pricingWords(price)}.`] : []),
        ...repeatNote(repeats),
      ],
    });
    if (status && rank(status) > rank(highest)) highest = status;
  }
  return steps;
}

/** Groups events by status and failure code, in order of their first arrival. */
function distinct(events: readonly ReceivedEvent[]): [ReceivedEvent, ...ReceivedEvent[]][] {
  const groups = new Map<string, [ReceivedEvent, ...ReceivedEvent[]]>();
  for (const event of events) {
    const what = `${event.status} ${event.failureCode}`;
    const known = groups.get(what);
    if (known) known.push(event);
    else groups.set(what, [event]);
  }
  return [...groups.values()];
}

function noteOf(status: MessageStatus | undefined, highest: MessageStatus): string[] {
  if (!status) return ["Unknown status. Recorded; the message is unchanged."];
  if (rank(status) < rank(highest)) return [`Arrived late. Shown in the timeline; the status stays ${highest}.`];
  if (highest === "FAILED" && status !== "FAILED") {
    return [`${status} after FAILED: one of the person’s devices got it after all.`];
  }
  return [];
}

const repeatNote = (repeats: number): string[] =>
  repeats === 0 ? [] : [`Received ${repeats} more ${repeats === 1 ? "time" : "times"}; ignored.`];
