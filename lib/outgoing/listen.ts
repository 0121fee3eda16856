import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type ListenRequest, MOST_FORWARDED } from "@/lib/public-api/read-listen-request";
import { command } from "@/lib/workspaces/author";
import { type Claimed, claimDeliveries } from "./claim-deliveries";
import { deleteEndpoint } from "./delete-endpoint";
import { noSuchEndpoint } from "./endpoint-queries";
import { keepListening } from "./keep-listening";
import { outcomeOf } from "./outcome";
import { recordHealth } from "./record-health";
import { readRetryAfter } from "./retry-schedule";
import { type Attempted, settleDeliveries } from "./settle-deliveries";
import { NotSent, type SignedRequest, signedRequest } from "./signed-request";
import { startListener } from "./start-listener";

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
export async function listen(
  workspaceId: WorkspaceId,
  { apiKeyId, ...request }: ListenRequest & { apiKeyId: string },
): Promise<Listening> {
  const { listener: id, underWay, isEnding } = request;
  if (id === undefined) {
    if (isEnding) throw noSuchEndpoint();
    const label = request.computer ? `listen on ${request.computer}` : "listen";
    const started = await startListener(workspaceId, { apiKeyId, url: request.forwardTo, label });
    return { listener: started.id, secret: started.secret, pausedBy: null, deliveries: [] };
  }
  const { url, pausedBy } = await keepListening(workspaceId, id);
  const results = lastOfEach(request.results).map((result) => attempted(result, { workspaceId, id, url }));
  await settle(results);
  if (isEnding) {
    await deleteEndpoint(workspaceId, id, command("listen"));
    return { listener: id, pausedBy, deliveries: [] };
  }
  const room = { most: MOST_FORWARDED - underWay, isBusy: underWay > 0 };
  const { claimed } = await claimDeliveries({ listener: { workspaceId, id }, ...room });
  const signed = claimed.map((one) => ({ one, request: signedOrFailure(one) }));
  const unsent = signed.flatMap(({ one, request }) => (typeof request === "string" ? [unsentOf(one, request)] : []));
  await settle(unsent);
  const deliveries = signed.flatMap(({ one, request }) =>
    typeof request === "string" ? [] : [{ id: one.id, attempt: one.number, ...request }],
  );
  return { listener: id, pausedBy, deliveries };
}

const settle = async (attempted: readonly Attempted[]): Promise<void> => {
  const { reports } = await settleDeliveries(attempted, { waits: true });
  await recordHealth(reports);
};

/** The request, or why there can be none. */
const signedOrFailure = (delivery: Claimed): SignedRequest | string => {
  try {
    return signedRequest(delivery, new Date());
  } catch (error) {
    if (error instanceof NotSent) return error.message;
    throw error;
  }
};

const unsentOf = (delivery: Claimed, failure: string): Attempted => ({
  delivery,
  answer: { startedAt: new Date(), durationMs: 0, statusCode: null, failure, response: null },
  outcome: outcomeOf(delivery, { statusCode: null, retryAfter: undefined }, Math.random()),
});

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
