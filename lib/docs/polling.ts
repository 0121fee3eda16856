/** When to ask for a message's status, in seconds after its send. */
export const POLL_AT_SECONDS = [5, 15, 60, 300, 1_800] as const;

const WINDOW_SECONDS = 15 * 60;

/** How many look-ups of one message fall into a window of 15 minutes on this schedule. */
const pollsPerWindow = POLL_AT_SECONDS.filter((second) => second <= WINDOW_SECONDS).length;

export type Budget = { sends: number; polls: number; pollsPerSend: number };

/** How a limit of calls in 15 minutes divides into sends and look-ups. */
export function budgets(calls: number): Budget[] {
  return [0, 1, 2, pollsPerWindow].map((pollsPerSend) => {
    const sends = Math.floor(calls / (1 + pollsPerSend));
    return { sends, polls: sends * pollsPerSend, pollsPerSend };
  });
}
