import { type ApiAnswer, callApi } from "@/app/_components/api-call";
import { isRecord } from "@/lib/core/json";
import { TRIAL_MINUTES } from "@/lib/core/secret-life";
import { startTrial } from "../actions";

/** What the form needs to know of an endpoint. */
export type Endpoint = {
  id: string;
  method: string;
  /** `/messages/{messageId}` */
  path: string;
  parameters: { name: string; place: string; isRequired: boolean }[];
  /** The example of each message type, as JSON. */
  bodies: Record<string, string>;
  /** The names of the headers that the reference describes. */
  headers: string[];
};

export type TrialAnswer = ApiAnswer & { messageId: string | null };

type Pair = { apiKey: string; apiSecret: string };

/** In the memory of this tab only: never stored, never in an address. Forms that start at once wait for the same one. */
let trial: { workspaceId: string; endsAtMs: number; pair: Promise<Pair> } | undefined;

/** How long before its expiry a key is replaced, so that no call is refused. */
const EARLIER_MS = 60_000;

/** There is no key to call with, and `message` says why; nothing was sent. */
export class NoTrialKey extends Error {
  override readonly name = "NoTrialKey";
}

/** Calls the partner API with a test key of this tab. Rejects with NoTrialKey, or where no response came. */
export async function tryCall(
  workspaceId: string,
  endpoint: Endpoint,
  { values, body }: { values: Record<string, string>; body: string | undefined },
): Promise<TrialAnswer> {
  const call = async ({ apiKey, apiSecret }: Pair): Promise<TrialAnswer> => {
    const answer = await callApi(addressOf(endpoint, values), {
      method: endpoint.method,
      headers: {
        apiKey,
        apiSecret,
        ...Object.fromEntries(given(endpoint, values, "header")),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const data = isRecord(answer.body) ? answer.body.data : undefined;
    const id = isRecord(data) ? data.id : undefined;
    return { ...answer, messageId: typeof id === "string" ? id : null };
  };
  const used = pairOf(workspaceId);
  const answer = await call(await used);
  if (answer.status !== 401) return answer;
  // Its key was revoked, or another tab has a newer secret. A refused call did nothing, so it can be made again.
  forget(used);
  return call(await pairOf(workspaceId));
}

function pairOf(workspaceId: string): Promise<Pair> {
  if (trial?.workspaceId === workspaceId && Date.now() < trial.endsAtMs) return trial.pair;
  const endsAtMs = Date.now() + TRIAL_MINUTES * 60_000 - EARLIER_MS;
  const pair = newPair(workspaceId);
  trial = { workspaceId, endsAtMs, pair };
  pair.catch(() => forget(pair));
  return pair;
}

/** Unless another one has replaced it. */
function forget(pair: Promise<Pair>): void {
  if (trial?.pair === pair) trial = undefined;
}

async function newPair(workspaceId: string): Promise<Pair> {
  const form = new FormData();
  form.set("workspaceId", workspaceId);
  const state = await startTrial(null, form);
  if (!state.ok) throw new NoTrialKey(state.message);
  return state.value;
}

function addressOf(endpoint: Endpoint, values: Record<string, string>): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = `${new URLSearchParams(given(endpoint, values, "query"))}`;
  return `/api/v1/public${path}${query === "" ? "" : `?${query}`}`;
}

/** The parameters of a place that are filled in. */
const given = ({ parameters }: Endpoint, values: Record<string, string>, place: string): [string, string][] =>
  parameters.flatMap(({ name, ...parameter }) => {
    const value = values[name]?.trim();
    return parameter.place === place && value ? [[name, value]] : [];
  });
