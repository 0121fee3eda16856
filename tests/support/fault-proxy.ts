import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback } from "./loopback";

export const PROXY_FAULTS = [
  /** The connection is cut, and the server gets nothing. */
  "cut-before",
  /** The server gets half of the request. */
  "cut-half-request",
  /** The server gets the request, and both connections are cut while it works on it. */
  "cut-at-work",
  /** The server responds, and the client gets nothing of it. */
  "cut-after",
  /** The client gets half of the response. */
  "cut-half-response",
  /** The server responds, and the client waits forever. */
  "silence",
  /** The server responds, and the client gets a proxy's 504 in HTML. */
  "gateway-timeout",
] as const;

export type ProxyFault = (typeof PROXY_FAULTS)[number];

/** `status` is that of the server's response, once it has responded. */
export type ProxiedCall = { path: string; atMs: number; idempotencyKey: unknown; status?: number };

export type FaultProxy = {
  url: string;
  /** What happens to the next calls, in turn; then all pass. */
  next: (...faults: ProxyFault[]) => void;
  calls: ProxiedCall[];
  close: () => Promise<void>;
};

const AT_WORK_AFTER_MS = 300;

/** A proxy before the server at `baseUrl`, which names `clientAddress` and treats calls as it is ordered. */
export const startFaultProxy = async (baseUrl: string, clientAddress: string): Promise<FaultProxy> => {
  const faults: ProxyFault[] = [];
  const calls: ProxiedCall[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const call = { path: incoming.url ?? "", atMs: performance.now(), idempotencyKey: keyOf(body) };
    calls.push(call);
    const upstream = { url: `${baseUrl}${incoming.url}`, incoming, body, clientAddress, call };
    await pass(faults.shift(), upstream, response).catch(() => response.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    calls,
    close,
    next: (...more) => {
      faults.push(...more);
    },
  };
};

type Upstream = { url: string; incoming: IncomingMessage; body: Buffer; clientAddress: string; call: ProxiedCall };

const pass = async (fault: ProxyFault | undefined, upstream: Upstream, response: ServerResponse): Promise<void> => {
  if (fault === "cut-before") return void response.destroy();
  if (fault === "cut-half-request" || fault === "cut-at-work") {
    const { body } = upstream;
    await sendAndCut(upstream, fault === "cut-at-work" ? body : body.subarray(0, body.length / 2));
    return void response.destroy();
  }
  const answer = await forward(upstream);
  upstream.call.status = answer.status;
  if (fault === "silence") return;
  if (fault === "cut-after") return void response.destroy();
  if (fault === "gateway-timeout")
    return void response.writeHead(504).end("<html><h1>504 Gateway Time-out</h1></html>");
  response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
  if (fault !== "cut-half-response") return void response.end(answer.body);
  response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy());
};

const open = ({ url, incoming, body, clientAddress }: Upstream) => {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const length = body.length > 0 ? { "content-length": body.length } : {};
  const request = httpRequest(url, {
    method: incoming.method,
    headers: { ...headers, ...length, "x-forwarded-for": clientAddress },
    agent: false,
  });
  return request;
};

const sendAndCut = async (upstream: Upstream, bytes: Buffer): Promise<void> => {
  const request = open(upstream).on("error", () => {});
  request.write(bytes);
  await sleep(AT_WORK_AFTER_MS);
  request.destroy();
};

const forward = (upstream: Upstream): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> =>
  new Promise((resolve, reject) => {
    open(upstream)
      .on("error", reject)
      .on("response", async (answer) => {
        const { connection: _, "transfer-encoding": __, ...headers } = answer.headers;
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          body: await bodyOf(answer),
        });
      })
      .end(upstream.body);
  });

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const keyOf = (body: Buffer): unknown =>
  body.length > 0 ? JSON.parse(body.toString("utf8")).idempotencyKey : undefined;
