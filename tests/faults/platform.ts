import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback } from "../support/loopback";
import type { PlatformCall } from "./history";

/** What WhatsApp does with a message: whether it takes it, and how it answers. A definite refusal takes nothing. */
type Behaviour = {
  isAccepted: boolean;
  answer: (response: ServerResponse, acceptance: object) => Promise<unknown> | unknown;
  /** After so many calls for one recipient WhatsApp is well. */
  lastsFor?: number;
};

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const refusal = (code: number) => (response: ServerResponse) =>
  json(response, 400, { error: { message: `(#${code}) Refused`, type: "OAuthException", code, fbtrace_id: "A" } });
const half = async (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
  response.write('{"messaging_product":"whatsapp","mess');
  await sleep(20);
  response.destroy();
};

const BEHAVIOURS = {
  well: { isAccepted: true, answer: (response, acceptance) => json(response, 200, acceptance) },
  slow: {
    isAccepted: true,
    answer: async (response, acceptance) => {
      await sleep(2_500);
      json(response, 200, acceptance);
    },
  },
  silent: { isAccepted: true, answer: () => undefined },
  deaf: { isAccepted: false, answer: () => undefined },
  reset: { isAccepted: true, answer: (response) => response.socket?.resetAndDestroy() },
  resetUnheard: { isAccepted: false, answer: (response) => response.socket?.resetAndDestroy() },
  half: { isAccepted: true, answer: half },
  rubbish: { isAccepted: true, answer: (response) => response.writeHead(200).end("<html>hello") },
  empty: { isAccepted: true, answer: (response) => json(response, 200, {}) },
  failing: { isAccepted: true, answer: (response) => response.writeHead(503).end("upstream connect error") },
  coded: {
    isAccepted: true,
    answer: (response) => json(response, 500, { error: { message: "unknown", code: 1 } }),
  },
  throttled: { isAccepted: false, answer: refusal(130_429), lastsFor: 2 },
  jammed: { isAccepted: false, answer: refusal(130_429) },
  overloaded: { isAccepted: false, answer: refusal(131_016), lastsFor: 2 },
  refused: { isAccepted: false, answer: refusal(131_047) },
} as const satisfies Record<string, Behaviour>;

export type PlatformFault = keyof typeof BEHAVIOURS;
export const PLATFORM_FAULTS = Object.keys(BEHAVIOURS) as PlatformFault[];

let serial = 0;

/** A number that was never used before, whose digits say how WhatsApp treats it. */
export const recipientFor = (fault: PlatformFault): string => {
  serial += 1;
  return `4479${String(PLATFORM_FAULTS.indexOf(fault)).padStart(2, "0")}${String(serial).padStart(6, "0")}`;
};

const PICTURES = "pictures";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export type LoggedCall = PlatformCall & { lineId: string; whatsappMessageId: string | null };

export type FaultyPlatform = {
  port: number;
  /** The URL of a picture that was never requested before. */
  newPicture: () => string;
  /** Every message that reached WhatsApp, in order. */
  calls: LoggedCall[];
  stop: () => Promise<void>;
};

/** WhatsApp: treats each message by its recipient and keeps a log of what it received, with our id where it got one. */
export const startFaultyPlatform = async (): Promise<FaultyPlatform> => {
  const calls: LoggedCall[] = [];
  const heard = new Map<string, number>();

  const server = createServer(async (request, response) => {
    const body = await readWhole(request);
    // A caller that is killed in the middle of its request has sent no message.
    if (body === undefined) return;
    const [, first, lineId = "", edge = ""] = (request.url ?? "/").split(/[/?]/);
    if (first === PICTURES) return void response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    if (edge === "media") return void json(response, 200, { id: "1" });
    if (edge !== "messages") return void json(response, 200, { data: [] });
    const { to, biz_opaque_callback_data: messageId = null } = JSON.parse(body);
    const recipient = String(to).replace("+", "");
    const count = (heard.get(recipient) ?? 0) + 1;
    heard.set(recipient, count);
    const behaviour = behaviourOf(recipient, count);
    const whatsappMessageId = behaviour.isAccepted ? `wamid.F${recipient}.${calls.length}` : null;
    const { isAccepted } = behaviour;
    calls.push({ recipient, messageId, isAccepted, atMs: Date.now(), lineId, whatsappMessageId });
    await behaviour.answer(response, {
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: recipient }],
      messages: [{ id: whatsappMessageId }],
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return {
    port,
    newPicture: () => `http://127.0.0.1:${port}/${PICTURES}/${randomUUID()}.png`,
    calls,
    stop: close,
  };
};

const readWhole = (request: IncomingMessage): Promise<string | undefined> => text(request).catch(() => undefined);

const behaviourOf = (recipient: string, count: number): Behaviour => {
  const fault = PLATFORM_FAULTS[Number(recipient.slice(4, 6))] ?? "well";
  const behaviour: Behaviour = BEHAVIOURS[fault];
  return count > (behaviour.lastsFor ?? Number.POSITIVE_INFINITY) ? BEHAVIOURS.well : behaviour;
};
