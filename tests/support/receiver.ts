import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";
import { type Mode, provenWorkspaceId } from "@/lib/core/principal";
import { createEndpoint } from "@/lib/outgoing/create-endpoint";
import { EVENT_TYPES, type EventType } from "@/lib/outgoing/events/event-types";
import { command } from "@/lib/workspaces/record-audit";
import { testServers } from "./environment";
import { listenOnLoopback } from "./loopback";
import { noteSecrets } from "./run-logs";

export type PushedEvent = {
  type: string;
  timestamp: string;
  sequence: number;
  data: Record<string, unknown> & { id: string; status: string };
};

/** What an endpoint received, whatever it answered. */
export type Delivery = {
  id: string;
  event: PushedEvent;
  headers: Record<string, string>;
  body: string;
  path: string;
  atMs: number;
};

type Answer = (delivery: Delivery, response: ServerResponse) => unknown;

const OK: Answer = (_, response) => response.writeHead(200).end("ok");

/** A partner's server: it keeps what it is sent, and answers as `answer` says at that moment. */
export const startReceiver = async (answer: Answer = OK, wantedPort = 0) => {
  const received: Delivery[] = [];
  const receiver = { answer };
  const server = createServer(async (request, response) => {
    // The port may have been another server's a moment ago, whose late calls are no deliveries.
    if (request.headers["webhook-id"] === undefined) return void response.writeHead(404).end();
    const delivery = await readDelivery(request);
    received.push(delivery);
    receiver.answer(delivery, response);
  });
  const { url, port, close } = await listenOnLoopback(server, wantedPort);
  return {
    url: `${url}/hook`,
    port,
    received,
    answerWith: (next: Answer) => {
      receiver.answer = next;
    },
    /** The events of a message, in the order in which they came. */
    eventsOf: (messageId: string) => received.map(({ event }) => event).filter(({ data }) => data.id === messageId),
    stop: close,
  };
};

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** One that ends with the test. */
export const receiverOfTest = async (...of: Parameters<typeof startReceiver>): Promise<Receiver> => {
  const receiver = await startReceiver(...of);
  onTestFinished(receiver.stop);
  return receiver;
};

const readDelivery = async (request: IncomingMessage): Promise<Delivery> => {
  const body = await text(request);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    id: headers["webhook-id"] ?? "",
    event: JSON.parse(body),
    headers,
    body,
    path: request.url ?? "",
    atMs: performance.now(),
  };
};

/** Throws where the signature is not one of the secret, as the reference implementation checks it. */
export const verified = ({ body, headers }: Delivery, secret: string): unknown =>
  new Webhook(secret).verify(body, headers);

/** An endpoint of a workspace, made as its page makes it. */
export const addEndpoint = async (
  { workspaceId }: { workspaceId: string },
  { url, mode = "test", events = EVENT_TYPES }: { url: string; mode?: Mode; events?: readonly EventType[] },
): Promise<{ id: string; secret: string }> => {
  Object.assign(process.env, testServers().environment);
  const endpoint = { mode, url, label: "Test", events };
  const made = await createEndpoint(provenWorkspaceId(workspaceId), endpoint, command("test"));
  noteSecrets("a webhook secret", [made.secret]);
  return made;
};
