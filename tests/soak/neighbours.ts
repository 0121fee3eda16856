// The hostile neighbours of the soak, in a process of their own. Reads one order from standard input, keeps up every
// attack at its pace until the time is over, and prints how each ended as one line of JSON.
import { randomBytes } from "node:crypto";
import net from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { silentName } from "../support/dns-server";
import type { Tenant } from "./tenant";

export type HostileOrder = {
  baseUrl: string;
  mediaUrl: string;
  slowTenant: Tenant;
  linkTenant: Tenant;
  seconds: number;
  /** Only the attacks whose names hold it. */
  attack: string;
};
export type HostileReport = Record<string, Record<string, number>>;

/** `perSecond` are started, at most `atOnce` are under way. */
type Attack = { name: string; perSecond: number; atOnce: number; run: (serial: number) => Promise<string> };

const { baseUrl, mediaUrl, slowTenant, linkTenant, seconds, attack }: HostileOrder = JSON.parse(
  await text(process.stdin),
);
const dispatcher = new Agent({ connections: 200, bodyTimeout: 30_000, headersTimeout: 30_000 });
const { port } = new URL(baseUrl);
const LARGE_BODY = Buffer.alloc(4_000_000, "x");
const ONE_ADDRESS = "198.51.100.7";

const call = async (
  method: "GET" | "POST",
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<string> => {
  const answer = await request(`${baseUrl}${path}`, {
    method,
    dispatcher,
    body: body ?? null,
    headers: { "x-forwarded-for": `203.0.113.${1 + (randomBytes(1)[0] ?? 0)}`, ...headers },
  });
  await answer.body.dump();
  return String(answer.statusCode);
};

/** Without its token a sign-in is turned away before its password is looked at. */
const signInForm = await (async () => {
  const answer = await fetch(`${baseUrl}/api/auth/csrf`);
  const { csrfToken }: { csrfToken: string } = await answer.json();
  const cookie = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  return { csrfToken, cookie: cookie.join("; ") };
})();

const send = (tenant: Tenant, serial: number, body: Record<string, unknown>) =>
  call("POST", "/api/v1/public/messages/send", {
    headers: {
      apiKey: tenant.apiKey,
      apiSecret: tenant.apiSecret,
      "content-type": "application/json",
      "x-forwarded-for": `198.19.${Math.floor(serial / 50) % 256}.${process.pid % 250}`,
    },
    body: JSON.stringify({ phone: "447700900124", ...body }),
  });

/** Writes `bytes` and leaves after `afterMs`, with a reset where `isReset`. */
const hangUp = async (bytes: string, { afterMs, isReset }: { afterMs: number; isReset: boolean }): Promise<string> => {
  const socket = net.connect({ host: "127.0.0.1", port: Number(port) });
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  socket.write(bytes);
  await sleep(afterMs);
  if (isReset) socket.resetAndDestroy();
  else socket.destroy();
  return "left";
};

const requestBytes = (method: string, path: string, body: string, headers = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

const ENDINGS = [
  requestBytes("POST", "/sign-in", "[]", "Next-Action: 00\r\n"),
  requestBytes("PUT", "/docs", "x"),
  requestBytes("POST", "/samples/x", "[", "Next-Action: 00\r\n"),
  requestBytes("POST", "/api/v1/public/messages/send", "{}"),
  requestBytes("POST", "/api/webhooks/whatsapp", "{}"),
  "GET /dashboard HTTP/1.1\r\nHost: a\r\n",
];

const ATTACKS: Attack[] = [
  {
    name: "requests that are reset half-way",
    perSecond: 10,
    atOnce: 40,
    run: (serial) =>
      hangUp(ENDINGS[serial % ENDINGS.length] ?? "", { afterMs: serial % 60, isReset: serial % 3 !== 0 }),
  },
  {
    name: "wrong sign-ins from one address",
    perSecond: 10,
    atOnce: 110,
    run: (serial) =>
      call("POST", "/api/auth/callback/credentials", {
        headers: {
          origin: baseUrl,
          "x-forwarded-for": ONE_ADDRESS,
          cookie: signInForm.cookie,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams({
          csrfToken: signInForm.csrfToken,
          password: "wrong",
          json: "true",
          email: serial % 2 ? slowTenant.email : `x${serial}@example.test`,
        }).toString(),
      }),
  },
  {
    name: "webhook bodies of 4 MB with a wrong signature",
    perSecond: 2,
    atOnce: 20,
    run: () =>
      call("POST", "/api/webhooks/whatsapp", {
        headers: { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
        body: LARGE_BODY,
      }),
  },
  {
    name: "webhooks without a signature",
    perSecond: 10,
    atOnce: 20,
    run: () => call("POST", "/api/webhooks/whatsapp", { body: "{}" }),
  },
  {
    name: "calls over the limit of their address",
    perSecond: 20,
    atOnce: 20,
    run: () =>
      call("GET", "/api/v1/public/templates", { headers: { "x-forwarded-for": ONE_ADDRESS, apiKey: "pk_live_x" } }),
  },
  {
    name: "public pages",
    perSecond: 3,
    atOnce: 10,
    run: (serial) => call("GET", ["/docs", "/sign-in", "/openapi.json", "/llms.txt", "/nothing"][serial % 5] ?? "/"),
  },
  {
    name: "actions with nonsense",
    perSecond: 5,
    atOnce: 10,
    run: () =>
      call("POST", "/sign-in", {
        headers: { origin: baseUrl, "next-action": "00".repeat(21), "content-type": "text/plain" },
        body: "[null,{}]",
      }),
  },
  {
    name: "bodies that drip",
    perSecond: 5,
    atOnce: 60,
    run: () =>
      hangUp(requestBytes("POST", "/api/v1/public/messages/send", "{").replace("Length: 1", "Length: 100"), {
        afterMs: 11_000,
        isReset: false,
      }),
  },
  ...[
    { name: "sends whose link never answers", linkOf: (name: string) => `${mediaUrl}/silent.png?${name}` },
    {
      name: "sends whose link names never resolve",
      linkOf: (name: string) => `http://${silentName(`n${name}`)}/a.png`,
    },
  ].map(({ name, linkOf }): Attack => {
    const variables = (serial: number) =>
      Array.from({ length: 10 }, (_, i) => [`c${i}_header_link`, linkOf(`${serial}-${i}`)]);
    const template = { type: "template", templateName: "hostile_carousel" };
    return {
      name,
      perSecond: 3,
      atOnce: 30,
      run: (serial) =>
        send(linkTenant, serial, { ...template, templateVariables: Object.fromEntries(variables(serial)) }),
    };
  }),
  {
    name: "sends on a line that WhatsApp answers after 9 s",
    perSecond: 3,
    atOnce: 30,
    run: (serial) => send(slowTenant, serial, { type: "text", content: "slow" }),
  },
];

const attacks = ATTACKS.filter(({ name }) => name.includes(attack));
const report: HostileReport = Object.fromEntries(attacks.map(({ name }) => [name, {}]));
const endsAtMs = performance.now() + seconds * 1_000;

const keepUp = async ({ name, perSecond, atOnce, run }: Attack): Promise<void> => {
  const counts = report[name] ?? {};
  let underWay = 0;
  for (let serial = 0; performance.now() < endsAtMs; serial++) {
    await sleep(1_000 / perSecond);
    if (underWay >= atOnce) continue;
    underWay += 1;
    run(serial)
      .catch((error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)))
      .then((ending) => {
        underWay -= 1;
        counts[ending] = (counts[ending] ?? 0) + 1;
      });
  }
};

await Promise.all(attacks.map(keepUp));
console.log(JSON.stringify(report));
// What is still under way is cut, as a neighbour that goes away would leave it.
process.exit(0);
