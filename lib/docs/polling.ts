/** When to ask for a message's status, in seconds after its send. */
export const POLL_AT_SECONDS = [5, 15, 60, 300, 1_800] as const;

const WINDOW_SECONDS = 15 * 60;

/** Status calls per message within a 15-minute window on this schedule. */
const pollsPerWindow = POLL_AT_SECONDS.filter((second) => second <= WINDOW_SECONDS).length;

type Budget = { sends: number; polls: number; pollsPerSend: number };

/** Returns how a limit of calls in 15 minutes can be split into sends and status calls. */
export function budgets(calls: number): Budget[] {
  return [0, 1, 2, pollsPerWindow].map((pollsPerSend) => {
    const sends = Math.floor(calls / (1 + pollsPerSend));
    return { sends, polls: sends * pollsPerSend, pollsPerSend };
  });
}
