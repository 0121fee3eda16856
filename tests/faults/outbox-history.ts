/** The outcome of all events of one workspace, once none is pending. */
export type OutboxHistory = {
  messages: OutboxMessage[];
  /** Every delivery that reached the endpoint, in the order in which it was answered. */
  received: Received[];
  /** The ids of the outbox' rows. */
  stored: string[];
};

export type OutboxMessage = {
  id: string;
  /** How many events the database says its statuses have made. */
  eventCount: number;
  /** Every status that its row has had, in order. */
  statuses: string[];
};

export type Received = {
  /** The `webhook-id`. */
  id: string;
  messageId: string;
  sequence: number;
  type: string;
  /** Whether the endpoint answered 2xx. */
  isTaken: boolean;
};

/** In what an outbox can fail: an event is lost, comes out of order, or was never one. */
export type OutboxFault = "lost" | "out of order" | "invented";

/** Everything that is wrong with a history; nothing where each event was taken at least once, in its place. */
export const checkOutbox = ({ messages, received, stored }: OutboxHistory): { fault: OutboxFault; what: string }[] => {
  const known = new Map(messages.map((message) => [message.id, message]));
  const taken = received.filter(({ isTaken }) => isTaken);
  const lost = messages.flatMap(({ id, eventCount, statuses }) => {
    const own = taken.filter(({ messageId }) => messageId === id);
    const sequences = new Set(own.map(({ sequence }) => sequence));
    const types = new Set(own.map(({ type }) => type));
    const missing = Array.from({ length: eventCount }, (_, i) => i + 1).filter((sequence) => !sequences.has(sequence));
    const untold = changesOf(statuses).filter((status) => !types.has(typeOf(status)));
    return [
      ...missing.map((sequence) => `event ${sequence} of ${id} was never taken`),
      ...untold.map((status) => `${id} became ${status}, and no event of that was taken`),
    ];
  });
  const disordered = messages.flatMap(({ id }) => {
    const first = firstOf(taken.filter(({ messageId }) => messageId === id));
    return first
      .filter(({ sequence }, i) => sequence < (first[i - 1]?.sequence ?? 0))
      .map(({ sequence }) => `event ${sequence} of ${id} was first taken after a later one`);
  });
  const invented = received.flatMap(({ id, messageId, sequence, type }) => {
    const message = known.get(messageId);
    if (!message || !stored.includes(id)) return [`${id} is in no outbox`];
    const twin = received.find((one) => one.messageId === messageId && one.sequence === sequence && one.id !== id);
    if (sequence > message.eventCount) return [`event ${sequence} of ${messageId} (${type}) is beyond the count`];
    return twin ? [`event ${sequence} of ${messageId} came as ${id} and as ${twin.id}`] : [];
  });
  return [
    ...lost.map((what) => ({ fault: "lost" as const, what })),
    ...disordered.map((what) => ({ fault: "out of order" as const, what })),
    ...invented.map((what) => ({ fault: "invented" as const, what })),
  ];
};

/** Each event where it was taken first: what is delivered again has had its place. */
const firstOf = (taken: readonly Received[]): Received[] =>
  taken.filter((one, i) => taken.findIndex(({ sequence }) => sequence === one.sequence) === i);

/** The statuses that a message has had, without repetitions. */
const changesOf = (statuses: readonly string[]): string[] =>
  statuses.filter((status, i) => status !== "PENDING" && status !== statuses[i - 1]);

const typeOf = (status: string): string => `message.${status.toLowerCase()}`;
