import type { SignedRequest } from "@/lib/outgoing/signed-request";
import type { PushedEvent } from "./receiver";
import { noteSecrets } from "./run-logs";
import type { Answer, CallOptions, TestWorkspace } from "./workspace";

type Handed = { id: string; attempt: number } & SignedRequest;
type Listening = { listener: string; secret?: string; pausedBy: string | null; deliveries: Handed[] };

/** How a delivery was forwarded, as the command line reports it. */
export const result = (
  { id, attempt }: Pick<Handed, "id" | "attempt">,
  statusCode: number | null,
  more: object = {},
) => ({
  id,
  attempt,
  durationMs: 5,
  statusCode,
  failure: null,
  response: "",
  retryAfter: null,
  ...more,
});

export const callListen = (workspace: TestWorkspace, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  workspace.call("POST", "/api/v1/listen", { body, ...options });

/** A session of `listen`, as the command line holds it. */
export const startSession = async (workspace: TestWorkspace, options: CallOptions = {}) => {
  const begun = listeningOf(
    await callListen(workspace, { computer: "test", forwardTo: "http://localhost:1/hook" }, options),
  );
  const { listener, secret = "" } = begun;
  noteSecrets("a webhook secret", [secret]);
  const ask = (more: object = {}) => callListen(workspace, { listener, ...more }, options);
  const take = async (more: object = {}): Promise<Handed[]> => listeningOf(await ask(more)).deliveries;
  return {
    listener,
    secret,
    ask,
    take,
    /** What is due, of which there is one. */
    takeOne: async (): Promise<Handed> => (await take())[0] ?? Promise.reject(new Error("no event is due")),
    end: () => ask({ isEnding: true }),
  };
};

/** Throws unless the call was answered. */
export const listeningOf = ({ status, text, body }: Answer): Listening => {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body.data as unknown as Listening;
};

export const eventOf = ({ body }: SignedRequest): PushedEvent => JSON.parse(body);
