import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createSandbox } from "@/lib/sandbox/sandbox";
import { listenOnLoopback } from "./loopback";

/** How the stand-in answers one call, instead of accepting it. */
export type ScriptedAnswer = {
  status?: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
  delayMs?: number;
  /** Cuts the connection before an answer, or in the middle of one. */
  hangUp?: "before" | "middle";
};

export type PlatformRequest = {
  method: string;
  path: string;
  objectId: string;
  edge: string;
  headers: Record<string, string>;
  /** The exact bytes, as UTF-8. */
  body: string;
  receivedAtMs: number;
};

/**
 * WhatsApp's side of the API tests: accepts every send, keeps what it was sent to the byte, and plays the answers
 * that a test has scripted for one of its objects (`POST /__script/{objectId}/{edge}`).
 */
export const startPlatform = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const requests: PlatformRequest[] = [];
  const scripts = new Map<string, ScriptedAnswer[]>();
  const usedCodes = new Set<string>();
  let accepted = 0;

  const sandbox = createSandbox({ webhook: undefined, templates: async () => [], acceptUnknownTemplates: true });

  const answer = async (request: PlatformRequest, response: ServerResponse) => {
    const scripted = scripts.get(`${request.objectId}/${request.edge}`)?.shift();
    if (!scripted && isAboutLines(request)) return relay(await sandbox.handle(toRequest(request)), response);
    if (!scripted && request.objectId === "oauth") return relay(exchangeCode(request, usedCodes), response);
    if (scripted?.delayMs) await sleep(scripted.delayMs);
    if (scripted?.hangUp === "before") return void response.destroy();
    if (scripted?.hangUp === "middle") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"messaging_product":"whatsapp","mess');
      await sleep(20);
      return void response.destroy();
    }
    const body = scripted?.text ?? JSON.stringify(scripted?.json ?? acceptance(request, ++accepted));
    response.writeHead(scripted?.status ?? 200, { "content-type": "application/json", ...scripted?.headers });
    response.end(body);
  };

  const control = (request: PlatformRequest, response: ServerResponse) => {
    const [, , objectId = "", edge = ""] = request.path.split("/");
    if (request.path.startsWith("/__script/")) {
      scripts.set(`${objectId}/${edge}`, JSON.parse(request.body));
      return response.end("{}");
    }
    response.end(JSON.stringify(requests.filter((seen) => seen.objectId === objectId)));
  };

  const server = createServer(async (incoming, response) => {
    const request = await record(incoming);
    if (request.path.startsWith("/__")) return control(request, response);
    requests.push(request);
    await answer(request, response);
  });
  const { url, close } = await listenOnLoopback(server);
  return { url, stop: close };
};

const record = async (incoming: IncomingMessage): Promise<PlatformRequest> => {
  const path = incoming.url ?? "/";
  const [, , objectId = "", edge = ""] = (path.split("?", 1)[0] ?? "").split("/");
  return {
    method: incoming.method ?? "",
    path,
    objectId,
    edge,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: await text(incoming),
    receivedAtMs: Date.now(),
  };
};

/** What the sandbox plays as well here: tokens, accounts, their numbers and their subscriptions. */
const isAboutLines = ({ objectId, edge, method }: PlatformRequest): boolean =>
  ["phone_numbers", "subscribed_apps"].includes(edge) ||
  (edge === "" && objectId !== "app" && (method === "GET" || objectId === "me"));

const toRequest = ({ method, path, headers, body }: PlatformRequest): Request =>
  new Request(`http://platform${path}`, {
    method,
    headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" },
    ...(method === "POST" ? { body } : {}),
  });

/** `POST /oauth/access_token`: any code works once, and becomes the token of the same text. */
const exchangeCode = ({ body }: PlatformRequest, used: Set<string>): Response => {
  const { client_id, client_secret, code, grant_type } = JSON.parse(body || "{}");
  const isWhole = client_id && client_secret && code && grant_type === "authorization_code";
  const message = used.has(code) ? "This authorization code has been used." : "Invalid verification code format.";
  if (!isWhole || used.has(code) || code.startsWith("refused")) {
    const error = { message, type: "OAuthException", code: 100, error_subcode: 36009, fbtrace_id: "Atrace" };
    return Response.json({ error }, { status: 400 });
  }
  used.add(code);
  return Response.json({ access_token: code, token_type: "bearer" });
};

const relay = async (answer: Response, response: ServerResponse) => {
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(await answer.text());
};

const acceptance = ({ edge, body, method, objectId }: PlatformRequest, serial: number): unknown => {
  if (edge === "message_templates" && method === "POST") {
    return { id: String(880_000_000_000 + serial), status: "PENDING", category: JSON.parse(body).category };
  }
  if (edge === "register") return { success: true };
  if (objectId === "app") return { id: "660000000" };
  if (edge === "uploads") return { id: `upload:session${serial}` };
  if (objectId.startsWith("upload:")) return { h: `4::handle${serial}` };
  if (edge === "media") return { id: String(770_000_000 + serial) };
  if (edge === "message_templates") return { data: [] };
  const to = String(JSON.parse(body || "{}").to ?? "");
  return {
    messaging_product: "whatsapp",
    contacts: [{ input: to, wa_id: to.replace("+", "") }],
    messages: [{ id: `wamid.TEST${Date.now()}${serial}`, message_status: "accepted" }],
  };
};
