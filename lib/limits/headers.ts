import { type RateLimitState, WINDOW_MS } from "./policies";

/** The limit that refuses, else the one with the least left. */
export function bindingLimit(states: readonly RateLimitState[]): RateLimitState | undefined {
  return [...states].sort((a, b) => Number(a.isAllowed) - Number(b.isAllowed) || a.remaining - b.remaining)[0];
}

/** `RateLimit-*` of the tighter limit, in delta seconds, and `RateLimit-Policy` of all that apply. */
export function rateLimitHeaders(states: readonly RateLimitState[], nowMs: number): Record<string, string> {
  const binding = bindingLimit(states);
  if (!binding) return {};
  return {
    "RateLimit-Limit": String(binding.limit),
    "RateLimit-Remaining": String(binding.remaining),
    "RateLimit-Reset": String(secondsUntil(binding.resetAtMs, nowMs)),
    "RateLimit-Policy": states.map(({ scope, limit }) => `"${scope}";q=${limit};w=${WINDOW_MS / 1_000}`).join(", "),
  };
}

/** Whole seconds until the window ends, from one to a whole window: after that long the caller really gets in. */
export function retryAfterSeconds(state: RateLimitState, nowMs: number): number {
  return secondsUntil(state.resetAtMs, nowMs);
}

const secondsUntil = (instantMs: number, nowMs: number) => {
  // A clock that was set back in mid-request must not make a caller wait for longer than a window lasts.
  const leftMs = Math.min(instantMs - nowMs, WINDOW_MS);
  return Math.max(1, Math.ceil(leftMs / 1_000));
};
