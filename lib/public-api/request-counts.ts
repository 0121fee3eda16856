import type { Mode } from "@/db/schema/identity";
import { bucketOf } from "@/lib/core/duration-scale";
import type { ReceivedRequest } from "./received-request";

/** A call with whom it belongs to, as the database has made it out by the key that it names. */
export type OwnedRequest = { workspaceId: string; apiKeyId: string; mode: Mode; request: ReceivedRequest };

/**
 * Calls by 15 minutes, in one fixed order, so that two processes that add to the same rows cannot deadlock.
 */
export function countRequests(owned: readonly OwnedRequest[]) {
  return counted(owned, ({ workspaceId, mode, apiKeyId, request: { at, operation, status, errorCode } }) => [
    { workspaceId, mode, startsAt: quarterOf(at), apiKeyId, operation, status, errorCode: errorCode ?? "" },
  ]);
}

/** Of sends that reached WhatsApp: its own time, and the rest, which is ours. */
export function countDurations(owned: readonly OwnedRequest[]) {
  return counted(owned, ({ workspaceId, mode, request: { at, operation, durationMs, platformMs } }) => {
    if (operation !== "send" || platformMs === null) return [];
    const place = { workspaceId, mode, startsAt: quarterOf(at) };
    return [
      { ...place, kind: "ours" as const, bucket: bucketOf(Math.max(0, durationMs - platformMs)) },
      { ...place, kind: "platform" as const, bucket: bucketOf(platformMs) },
    ];
  });
}

// In some zones the days and hours begin 30 or 45 minutes apart from those of UTC: a quarter lies in one of them whole.
const QUARTER_MS = 15 * 60 * 1_000;

const quarterOf = (at: Date) => new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);

const counted = <T>(
  owned: readonly OwnedRequest[],
  placesOf: (one: OwnedRequest) => T[],
): (T & { count: number })[] => {
  const counts = new Map<string, T & { count: number }>();
  for (const place of owned.flatMap(placesOf)) {
    const key = JSON.stringify(place);
    counts.set(key, { ...place, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
};
