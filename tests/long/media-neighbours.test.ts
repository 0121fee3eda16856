import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DnsServer, named, silentName, startDnsServer } from "../support/dns-server";
import { startInstance, testServers } from "../support/environment";
import { linked, media, PICTURE, picture } from "../support/linked-pictures";
import { type Loopback, listenOnLoopback } from "../support/loopback";
import { expectNothingBound, expectSent, PHONE } from "../support/sends";
import { carouselRecord } from "../support/template-records";
import { type Answer, provisionWorkspace, type TestWorkspace } from "../support/workspace";

const CARDS = 10;
const CAROUSEL = carouselRecord(CARDS);
/** How many links one workspace may fetch at once. */
const SHARE = 20;

let dns: DnsServer;
let instance: Awaited<ReturnType<typeof startInstance>>;
let drip: Loopback;
const dripping = new Set<ServerResponse>();

beforeAll(async () => {
  dns = await startDnsServer();
  const host = createServer((_request, response) => {
    dripping.add(response);
    response.on("close", () => dripping.delete(response)).writeHead(200);
    const timer = setInterval(() => response.write("."), 1_000);
    response.on("close", () => clearInterval(timer));
  });
  drip = await listenOnLoopback(host);
  const { environment, platformUrl, mediaUrl } = testServers();
  const byName = (url: string) => url.replace("127.0.0.1", "localhost");
  instance = await startInstance(
    {
      NODE_OPTIONS: `--require ${path.resolve("tests/support/own-resolver.cjs")}`,
      TEST_DNS_SERVER: dns.address,
      // Names, so that each new connection to WhatsApp and to an internal host is looked up.
      WHATSAPP_GRAPH_URL: byName(platformUrl),
      MEDIA_FETCH_ALLOW: [environment.MEDIA_FETCH_ALLOW, new URL(byName(mediaUrl)).host, new URL(drip.url).host].join(),
      PUBLIC_API_IP_RATE_LIMIT: "100000",
      PUBLIC_API_KEY_RATE_LIMIT: "100000",
    },
    "API",
  );
});
afterAll(async () => {
  await instance.stop();
  await drip.close();
  await dns.stop();
});

/** The workspace, as it calls this file's own server. */
const workspaceHere = async (baseUrl = instance.baseUrl): Promise<TestWorkspace> => {
  const workspace = await provisionWorkspace({ templates: [PICTURE, CAROUSEL] });
  const send: TestWorkspace["send"] = (body) => fetchSend(baseUrl, workspace, body);
  return { ...workspace, send };
};

const fetchSend = async (baseUrl: string, workspace: TestWorkspace, body: unknown): Promise<Answer> => {
  const response = await fetch(`${baseUrl}/api/v1/public/messages/send`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      apiKey: workspace.apiKey,
      apiSecret: workspace.apiSecret,
      "x-forwarded-for": workspace.clientAddress,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
};

const plain = { type: "text", phone: PHONE, content: "Hi" };

/** Ten cards, each with a picture behind a link of its own. */
const tenLinks = (linkOf: (card: number) => string) => ({
  type: "template",
  phone: PHONE,
  templateName: CAROUSEL.name,
  templateVariables: Object.fromEntries([
    ["1", "Ana"],
    ...Array.from({ length: CARDS }, (_, card) => [
      [`c${card}_1`, "20"],
      [`c${card}_header_link`, linkOf(card)],
    ]).flat(),
  ]),
});

/** Answers of a send of silence or drops: the link is refused, or the workspace has no place left for it. */
const expectRefusedOrBusy = (answers: Answer[]) => {
  for (const { status, body, text } of answers) {
    expect([400, 503], text).toContain(status);
    if (status === 400) expect(body.error, text).toBe("VALIDATION_ERROR");
    else expectBusy(body, text);
  }
};

const expectBusy = (body: Answer["body"], text: string) => {
  expect(body.error, text).toBe("SERVICE_UNAVAILABLE");
  expect(body.message, text).toContain(`This workspace already fetches ${SHARE} linked media`);
  expect(body.message, text).toContain("Nothing was sent");
  expect(body.details, text).toMatchObject({ outcome: "not_sent", retryable: true, retryAfterSeconds: 2 });
};

/** How many sockets ask the DNS server at this moment; undefined where the system does not tell. */
const openQuestions = (): number | undefined => {
  const port = Number(dns.address.split(":")[1]).toString(16).toUpperCase().padStart(4, "0");
  try {
    const sockets = readFileSync("/proc/net/udp", "utf8").split("\n");
    return sockets.filter((line) => line.trim().split(/\s+/)[2] === `0100007F:${port}`).length;
  } catch {
    return undefined;
  }
};

describe("201 for other workspaces", () => {
  test("while ten names of each of eight sends are looked up and DNS never answers", async () => {
    const [hostile, other] = [await workspaceHere(), await workspaceHere()];
    expectSent(await other.send(plain));
    const running = Promise.all(
      Array.from({ length: 8 }, (_, send) =>
        hostile.send(tenLinks((card) => `https://${silentName(`s${send}c${card}`)}/a.png`)),
      ),
    );
    for (let waited = 0; dns.asked.length < SHARE && waited < 3_000; waited += 20) await sleep(20);
    const questions = openQuestions();
    const startedAtMs = performance.now();
    const sends = await Promise.all([
      ...Array.from({ length: 6 }, () => other.send(plain)),
      // The host that is named and vouched for is looked up by the operating system, in a thread.
      other.send(picture({ header_link: media("/a.png?dns").replace("127.0.0.1", "localhost") })),
    ]);
    const tookMs = performance.now() - startedAtMs;
    expect(sends.map(({ status }) => status)).toEqual(Array(7).fill(201));
    // Not how fast it is, but that it waits for nothing of the other's, which takes 20 s.
    expect(tookMs).toBeLessThan(10_000);

    expect(questions).not.toBe(0);

    const answers = await running;
    expectRefusedOrBusy(answers);
    expect(answers.map(({ status }) => status)).toContain(400);
    await expectNothingBound(hostile);

    // No name is asked for again, and the sockets of the questions are closed.
    const asked = dns.asked.length;
    expect(asked).toBeGreaterThanOrEqual(SHARE);
    await sleep(2_500);
    expect(dns.asked.length).toBe(asked);
    expect(openQuestions() ?? 0).toBe(0);
  });

  test("while hosts that give a byte a second hold every place of one", async () => {
    const [hostile, other] = [await workspaceHere(), await workspaceHere()];
    const running = Promise.all(
      Array.from({ length: SHARE / CARDS }, (_, send) =>
        hostile.send(tenLinks((card) => `${drip.url}/${send}-${card}`)),
      ),
    );
    for (let waited = 0; dripping.size < SHARE && waited < 5_000; waited += 50) await sleep(50);
    expect(dripping.size).toBe(SHARE);
    const [busy, ownPlain, picture, otherPlain] = await Promise.all([
      hostile.send(linked("/a.png?busy")),
      hostile.send(plain),
      other.send(linked("/a.png?other")),
      other.send(plain),
    ]);
    expect(busy.status, busy.text).toBe(503);
    expectBusy(busy.body, busy.text);
    for (const answer of [ownPlain, picture, otherPlain]) expectSent(answer);

    const answers = await running;
    expect(answers.map(({ status }) => status)).toEqual(Array(SHARE / CARDS).fill(400));
    for (const { text } of answers) expect(text).toContain("within 8 s");
    for (let waited = 0; dripping.size > 0 && waited < 2_000; waited += 50) await sleep(50);
    expect(dripping.size).toBe(0);
    expectSent(await hostile.send(linked("/a.png?free")));
  });
});

describe("201 while the operating system's own look-ups get no answer", () => {
  test("WhatsApp's host and the database's are asked of DNS after a second, and two threads at most are held", async () => {
    const byName = (address = "") => Object.assign(new URL(address), { hostname: named("127.0.0.1") });
    const { platformUrl, environment } = testServers();
    const unresolved = await startInstance({
      NODE_OPTIONS: `--require ${path.resolve("tests/support/own-resolver.cjs")}`,
      TEST_DNS_SERVER: dns.address,
      WHATSAPP_GRAPH_URL: byName(platformUrl).origin,
      DATABASE_URL: byName(environment.DATABASE_URL).href,
      PUBLIC_API_IP_RATE_LIMIT: "100000",
      PUBLIC_API_KEY_RATE_LIMIT: "100000",
    });
    try {
      const workspace = await workspaceHere(unresolved.baseUrl);
      const sends = await Promise.all(Array.from({ length: 12 }, () => workspace.send(plain)));
      expect(sends.map(({ status }) => status)).toEqual(Array(12).fill(201));
      // Threads are left for what else needs one: this file is read by one of them.
      const icon = await fetch(`${unresolved.baseUrl}/icon.svg`);
      expect(icon.status).toBe(200);
    } finally {
      await unresolved.stop();
    }
  });
});
