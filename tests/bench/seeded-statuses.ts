// Statuses that no server has received before: each of a message that was put into its database for it.

const STATUSES = ["sent", "delivered", "read"] as const;
const ENDING_CHARACTERS = 16;
/** Webhooks of each size have messages of their own. */
const NUMBERS_PER_SIZE = 10 ** 11;

export type SeededStatus = { message: SeededMessage; status: (typeof STATUSES)[number] };

/** `idEnding` is what follows the time in an id of ours. */
export type SeededMessage = { idEnding: string; whatsappMessageId: string };

/** The `number`-th status of webhooks of `size`: all messages of a turn are sent, then all are delivered, then read. */
export const seededStatus = (size: number, number: number): SeededStatus => {
  const perTurn = messagesPerTurn(size);
  const turn = Math.floor(number / (STATUSES.length * perTurn));
  const place = number % (STATUSES.length * perTurn);
  const status = STATUSES[Math.floor(place / perTurn)] ?? "read";
  return { message: seededMessage(firstSeeded(size) + turn * perTurn + (place % perTurn)), status };
};

/** How many messages give so many statuses. */
export const messagesFor = (size: number, statuses: number): number =>
  Math.ceil(statuses / (STATUSES.length * messagesPerTurn(size))) * messagesPerTurn(size);

/** The number of the first message for webhooks of this size. */
export const firstSeeded = (size: number): number => size * NUMBERS_PER_SIZE;

// Enough webhooks with other messages between two about the same one that they never wait for each other.
const messagesPerTurn = (size: number): number => size * (size < 1_000 ? 64 : 20);

const seededMessage = (number: number): SeededMessage => {
  const idEnding = String(number).padStart(ENDING_CHARACTERS, "0");
  return { idEnding, whatsappMessageId: `wamid.seeded.${idEnding}` };
};
