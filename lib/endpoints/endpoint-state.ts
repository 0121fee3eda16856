import type { WebhookEndpoint } from "@/db/schema";

/** Paused by a member, because it answered 410, or after days of failures; otherwise failing or not. */
export type EndpointState = "active" | "failing" | "paused" | "pausedGone" | "pausedFailing";

/** What the state depends on. */
export type EndpointFacts = Pick<WebhookEndpoint, "pausedAt" | "pausedBy" | "failingSince">;

const PAUSED = { member: "paused", gone: "pausedGone", failing: "pausedFailing" } as const;

export const endpointState = ({ pausedAt, pausedBy, failingSince }: EndpointFacts): EndpointState => {
  if (pausedAt) return PAUSED[pausedBy ?? "member"];
  return failingSince ? "failing" : "active";
};
