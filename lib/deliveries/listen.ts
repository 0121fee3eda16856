import { command } from "@/lib/audit/author";
import { deleteEndpoint } from "@/lib/endpoints/delete-endpoint";
import { keepListening } from "@/lib/endpoints/keep-listening";
import { startListener } from "@/lib/endpoints/start-listener";
import { type ListenRequest, MOST_FORWARDED } from "@/lib/public-api/read-listen-request";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";
import { claimDeliveries } from "./claim-deliveries";
import { outcomeOf } from "./outcome";
import { recordHealth } from "./record-health";
import { readRetryAfter } from "./retry-schedule";
import { type Attempted, settleDeliveries } from "./settle-deliveries";
import { type SignedRequest, signedRequest } from "./signed-request";

/** What a computer that listens is to do; `secret` is there in the first answer. */
export type Listening = {
  listener: string;
  secret?: string;
  /** Why nothing is sent to it. */
  pausedBy: "member" | "gone" | "failing" | null;
  deliveries: ({ id: string; attempt: number } & SignedRequest)[];
};

/**
 * One exchange with a computer that runs `listen`: it reports what it has forwarded, and takes what is due. A delivery is
 * claimed, retried and stored as if it were posted. Throws NOT_FOUND where the session has ended.
 */
export const listen = async (
  workspaceId: WorkspaceId,
  { apiKeyId, ...request }: ListenRequest & { apiKeyId: string },
): Promise<Listening> => {
  const { listener: id, underWay, isEnding } = request;
  if (id === undefined) {
    const label = request.computer ? `listen on ${request.computer}` : "listen";
    const started = await startListener(workspaceId, { apiKeyId, url: request.forwardTo, label });
    return { listener: started.id, secret: started.secret, pausedBy: null, deliveries: [] };
  }
  const { url, pausedBy } = await keepListening(workspaceId, id);
  const results = lastOfEach(request.results).map((result) => attempted(result, { workspaceId, id, url }));
  await recordHealth(await settleDeliveries(results));
  if (isEnding) {
    await deleteEndpoint(workspaceId, id, command("listen"));
    return { listener: id, pausedBy, deliveries: [] };
  }
  const room = { most: MOST_FORWARDED, isScarce: false, listener: { workspaceId, id } };
  const { claimed } = await claimDeliveries([{ workspaceId, endpointId: id, underWay }], room);
  const at = new Date();
  const deliveries = claimed.map((one) => ({ id: one.id, attempt: one.number, ...signedRequest(one, at) }));
  return { listener: id, pausedBy, deliveries };
};

type Result = ListenRequest["results"][number];

/** A delivery has one attempt under way at most, so that of several results the highest number is the only one that counts. */
const lastOfEach = (results: readonly Result[]): Result[] => {
  const last = new Map<string, Result>();
  for (const result of results.toSorted((a, b) => a.attempt - b.attempt)) last.set(result.id, result);
  return [...last.values()];
};

const attempted = (
  { id, attempt, durationMs, statusCode, failure, response, retryAfter }: Result,
  listener: { workspaceId: WorkspaceId; id: string; url: string },
): Attempted => {
  const now = new Date();
  const asked = readRetryAfter(retryAfter ?? undefined, now);
  return {
    delivery: { workspaceId: listener.workspaceId, id, endpointId: listener.id, number: attempt, url: listener.url },
    answer: { startedAt: new Date(now.getTime() - durationMs), durationMs, statusCode, failure, response },
    // `replayedAfter` is not part of the exchange, so that attempts before a replay count on the retries.
    outcome: outcomeOf({ number: attempt, replayedAfter: 0 }, { statusCode, retryAfter: asked }, Math.random()),
  };
};
