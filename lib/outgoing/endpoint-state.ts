import type { WebhookEndpoint } from "@/db/schema";

/** Paused by a member, after a 410 or after days of failures; a `listen` session; else active or failing. */
export type EndpointState = "active" | "listening" | "failing" | "paused" | "pausedGone" | "pausedFailing";

/** What the state depends on. */
export type EndpointFacts = Pick<WebhookEndpoint, "pausedAt" | "pausedBy" | "failingSince" | "listensUntil">;

const PAUSED = { member: "paused", gone: "pausedGone", failing: "pausedFailing" } as const;

export function endpointState({ pausedAt, pausedBy, failingSince, listensUntil }: EndpointFacts): EndpointState {
  if (pausedAt) return PAUSED[pausedBy ?? "member"];
  if (listensUntil) return "listening";
  return failingSince ? "failing" : "active";
}
