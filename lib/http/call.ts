import type { AppError } from "@/lib/core/app-error";

/** Receives a body: its chunks, then its end, or that it was cut off. */
export type BodyReader = { chunk: (bytes: Uint8Array) => void; end: () => void; cut: () => void };

/** Streams a body; the returned function stops reading and discards the rest. */
export type BodySource = (reader: BodyReader) => () => void;

/** By their names in any case; null where one was not sent. */
export type CallHeaders = Pick<Headers, "get"> & Iterable<[string, string]>;

/** A request to a path below /api, whichever server took it: ours (lib/http/mount.ts), Next's or Vercel's (`callOf`). */
export type Call = {
  /** As it was sent, also one that no route takes. */
  method: string;
  url: URL;
  headers: CallHeaders;
  /** The names of headers that must not repeat and did; undefined behind a server that joins them. */
  repeated: readonly string[] | undefined;
  /** The address of the socket; undefined behind a server that does not give it. */
  peer: string | undefined;
  body: BodySource;
  /** What is wrong with the path. Its route answers so, after it has counted the call on its limits. */
  fault: AppError | undefined;
  /** The parameters in the path, decoded. */
  params: Record<string, string>;
};

/** What is written; the body of a HEAD is left out then. */
export type Answer = {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | ReadableStream<Uint8Array> | null;
};

/** An answer whose body is text. */
export type TextAnswer = { status: number; headers: Record<string, string>; body: string };

export type Serve = (call: Call) => Promise<Answer>;

/** An answer of JSON. */
export function jsonAnswer(data: unknown, { status = 200, headers = {} }: Partial<Omit<Answer, "body">> = {}): Answer {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(data) };
}

/** The answer that a web Response holds. */
export function answerOf({ status, headers: given, body }: Response): Answer {
  const headers: Answer["headers"] = Object.fromEntries(given);
  const cookies = given.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return { status, headers, body };
}
