import { Agent, request } from "node:http";
import { API_HEADERS } from "@/lib/http/api-route";
import { hangUp } from "../support/hang-ups";
import { freshAddress } from "../support/limits";
import { signatureOf } from "../support/webhooks";
import type { FuzzRequest } from "./grammar";

export type FuzzAnswer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const NO_ANSWER: FuzzAnswer = { status: 0, headers: {}, text: "" };
const ANSWER_WITHIN_MS = 15_000;
/** So that the limit of this machine's address is not used up, which programs share that can name no other. */
const OWN_ADDRESS = freshAddress();

export type Wire = { baseUrl: string; secret: string; agent: Agent };

/** Sends a request byte for byte; status 0 where no answer came, -1 where none was wanted. */
export const exchange = (sent: FuzzRequest, wire: Wire): Promise<FuzzAnswer> =>
  sent.hangUp ? leaveEarly(sent, sent.hangUp, wire) : ask(sent, wire);

const leaveEarly = async (
  sent: FuzzRequest,
  { part, after, ending }: NonNullable<FuzzRequest["hangUp"]>,
  { baseUrl }: Wire,
): Promise<FuzzAnswer> => {
  const lines = [...sent.headers, ["X-Forwarded-For", OWN_ADDRESS], ["Content-Length", `${sent.body?.length ?? 0}`]];
  const head = [`${sent.method} ${sent.path} HTTP/1.1`, "Host: localhost", ...lines.map((line) => line.join(": "))];
  const bytes = `${head.join("\r\n")}\r\n\r\n${sent.body ?? ""}`;
  const port = Number(new URL(baseUrl).port);
  await hangUp(port, { bytes: bytes.slice(0, Math.ceil(bytes.length * part)), after, ending });
  return { ...NO_ANSWER, status: -1 };
};

const ask = (sent: FuzzRequest, { baseUrl, secret, agent }: Wire): Promise<FuzzAnswer> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    const body = sent.body === undefined ? undefined : Buffer.from(sent.body, "latin1");
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of sent.headers) {
      const earlier = headers[name];
      headers[name] = earlier === undefined ? value : [earlier, value].flat();
    }
    if (!sent.headers.some(([name]) => /^x-forwarded-for$/i.test(name))) headers["X-Forwarded-For"] = OWN_ADDRESS;
    if (body && sent.isSigned) headers["X-Hub-Signature-256"] = signatureOf(body, secret);
    if (body) headers["Content-Length"] = `${body.length}`;
    try {
      const call = request(
        { agent, hostname, port, method: sent.method, path: sent.path, headers, timeout: ANSWER_WITHIN_MS },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", () => resolve(NO_ANSWER));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(chunks).toString("utf8"),
            }),
          );
        },
      );
      call.on("timeout", () => call.destroy());
      call.on("error", () => resolve(NO_ANSWER));
      call.end(body);
    } catch {
      // What no client of Node's can put on the wire is no request.
      resolve({ ...NO_ANSWER, status: -1 });
    }
  });

/** What is wrong with an answer, in a word; undefined for one that the contract allows. */
export const faultOf = (sent: FuzzRequest, { status, headers, text }: FuzzAnswer): string | undefined => {
  if (status === -1) return undefined;
  if (status === 0) return "no answer";
  if (status >= 500) return `status ${status}`;
  const { pathname } = new URL(sent.path, "http://localhost");
  if (!/^\/api(\/|$)/.test(pathname) || pathname.startsWith("/api/sandbox")) return undefined;
  for (const [name, value] of Object.entries(API_HEADERS)) {
    if (headers[name.toLowerCase()] !== value) return `${name} is ${headers[name.toLowerCase()]}`;
  }
  if (status < 400 || sent.method === "HEAD") return undefined;
  return hasErrorShape(text, status) ? undefined : `a ${status} in another shape`;
};

const hasErrorShape = (text: string, status: number): boolean => {
  try {
    const body = JSON.parse(text);
    return (
      Object.keys(body).sort().join() === "details,error,message" &&
      typeof body.message === "string" &&
      /^req_/.test(body.details.requestId) &&
      body.details.docsUrl.endsWith(`/docs/errors/${body.error}`) &&
      (status !== 429 || body.details.retryAfterSeconds > 0)
    );
  } catch {
    return false;
  }
};

export const keepAlive = (width: number): Agent => new Agent({ keepAlive: true, maxSockets: width });
