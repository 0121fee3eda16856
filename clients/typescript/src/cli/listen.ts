import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebhookVerificationError } from "../errors.js";
import type { WebhookEvent } from "../resources.js";
import { verifyWebhook } from "../verify-webhook.js";
import type { Shell } from "./api-command.js";
import { type Command, noMore, runCommandLine, UsageError } from "./command-line.js";
import { printLine } from "./documents.js";

const DEFAULT_PORT = 4400;
const MOST_BODY_BYTES = 1024 * 1024;
/** The gateway waits for 15 seconds. */
const FORWARD_TIMEOUT_MS = 14_000;
const SIGNED_HEADERS = ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];

const usage = (shell: Shell): string => `Usage: ${shell.program} listen [--port ${DEFAULT_PORT}] [--forward-to URL]

Receives webhooks on this computer: checks the signature of each, prints it as a line of JSON, and posts it to URL as it
came. The gateway gets the response of URL, or a 204 without --forward-to. Ends with Ctrl+C.

Add http://localhost:${DEFAULT_PORT} as a test endpoint in the dashboard, where the gateway runs on this computer too; for another
gateway, the https address of a tunnel to it. WEBHOOK_SECRET is the endpoint's secret (whsec_…).
`;

type Settings = { secret: string; forwardTo: URL | undefined };

/** `listen`: receives a test endpoint's deliveries, and forwards them. */
export const listen =
  (shell: Shell): Command =>
  (args) =>
    runCommandLine({ usage: usage(shell), options: ["port", "forward-to"], args }, async ({ positionals, option }) => {
      noMore(positionals);
      const settings = { secret: secretOf(process.env.WEBHOOK_SECRET), forwardTo: urlOf(option("forward-to")) };
      await serve(portOf(option("port")), settings);
      return true;
    });

const secretOf = (given: string | undefined): string => {
  if (given && /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(given)) return given;
  throw new UsageError(
    `WEBHOOK_SECRET ${given ? "must be the endpoint's secret, whsec_ and base64" : "is required in the environment"}.`,
  );
};

const urlOf = (given: string | undefined): URL | undefined => {
  if (given === undefined) return undefined;
  if (/^https?:\/\//.test(given) && URL.canParse(given)) return new URL(given);
  throw new UsageError("--forward-to must be a URL, such as http://localhost:3000/webhooks.");
};

const portOf = (given: string | undefined): number => {
  const port = given === undefined ? DEFAULT_PORT : Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError("--port must be a number up to 65535.");
};

/** Until the process gets a signal; what is under way gets its response first. */
const serve = (port: number, settings: Settings): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      receive(request, response, settings).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
        response.destroy();
      });
    });
    server.on("error", reject).on("close", resolve);
    server.listen(port, "localhost", () => {
      const { port: open } = server.address() as AddressInfo;
      const { forwardTo } = settings;
      const target = forwardTo ? `, forwarding to ${forwardTo.origin}${forwardTo.pathname}` : "";
      process.stderr.write(`Listening at http://localhost:${open}${target}. Ctrl+C ends it.\n`);
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.close());
  });

const receive = async (request: IncomingMessage, response: ServerResponse, settings: Settings): Promise<void> => {
  // One delivery for each connection, so that the server can close between two.
  response.setHeader("Connection", "close");
  if (request.method !== "POST") return void response.writeHead(405, { Allow: "POST" }).end();
  const body = await readBody(request);
  if (!body) return void response.writeHead(413).end();
  const event = await verifyWebhook(body, request.headers, settings.secret).catch((error: unknown) => {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  });
  if (event instanceof WebhookVerificationError) {
    process.stderr.write(`A delivery was refused: ${event.message}\n`);
    return void response.writeHead(400).end(event.message);
  }
  const startedAtMs = performance.now();
  const answer = settings.forwardTo ? await forward(settings.forwardTo, body, request) : { status: 204, text: "" };
  printLine({ ...lineOf(event), status: answer.status, ms: Math.round(performance.now() - startedAtMs) });
  response.writeHead(answer.status).end(answer.status === 204 ? undefined : answer.text);
};

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const lineOf = (event: WebhookEvent) => ({
  timestamp: event.timestamp,
  type: event.type,
  id: "id" in event.data ? event.data.id : undefined,
  sequence: event.sequence,
});

/** With the exact bytes and headers, so that the receiver can check the signature itself. */
const forward = async (
  url: URL,
  body: Buffer,
  { headers }: IncomingMessage,
): Promise<{ status: number; text: string }> => {
  const signed = SIGNED_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const sent = { method: "POST", headers: signed, body: new Uint8Array(body) };
    const response = await fetch(url, { ...sent, redirect: "manual", signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "unknown";
    const text = `${url.origin} could not be reached (${reason}).`;
    process.stderr.write(`${text}\n`);
    return { status: 502, text };
  }
};
