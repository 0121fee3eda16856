import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { freshAddress } from "../support/limits";
import { residentMebibytes } from "../support/process-memory";
import { head, openRaw, type RawConnection } from "../support/raw-http";
import { expectError, PHONE } from "../support/sends";
import { signatureOf } from "../support/webhooks";
import { provisionWorkspace, request, statusWebhook } from "../support/workspace";

const WEBHOOK = "/api/webhooks/whatsapp";
const SEND = "/api/v1/public/messages/send";
const MB = 1_024 * 1_024;
const FLOOD = 100;
/** Time for the bodies of a flood to come, and less than the 10 s that each has for it. */
const ON_THEIR_WAY_MS = 3_000;
/** Bodies of one kind hold 32 MiB of a process; what reading and hashing them leaves behind comes on top. */
const MAX_GROWTH_MB = 250;
/** What a neighbour may wait on a busy machine that also sends the flood: answered, and not after it. */
const MAX_WAIT_MS = 20_000;
const WRONG = { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` };

let instance: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  instance = await startInstance({});
});
afterAll(() => instance.stop());

const memoryMb = () => residentMebibytes(instance.pid) ?? 0;

const signedWebhook = async () => {
  const workspace = await provisionWorkspace();
  const body = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]));
  const headers = { "x-hub-signature-256": signatureOf(body) };
  return () => request("POST", `${instance.baseUrl}${WEBHOOK}`, { body, headers });
};

/** A neighbour who asks one thing after the other while `work` runs: how long the slowest took, and what was answered. */
const neighbourOf = async (work: () => Promise<unknown>) => {
  const postWebhook = await signedWebhook();
  const beforeMb = memoryMb();
  const seen = { slowestMs: 0, said: new Set<string>(), mostMb: beforeMb };
  let isOver = false;
  const asks = { health: () => request("GET", `${instance.baseUrl}/api/health`), webhook: postWebhook };
  const asking = Object.entries(asks).map(async ([name, ask]) => {
    while (!isOver) {
      const startedAtMs = performance.now();
      const { status, text } = await ask();
      seen.said.add(status === 200 ? `${name}: 200` : `${name}: ${status} ${text}`);
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAtMs);
      seen.mostMb = Math.max(seen.mostMb, memoryMb());
      await sleep(20);
    }
  });
  await work();
  isOver = true;
  await Promise.all(asking);
  return { ...seen, grownMb: seen.mostMb - beforeMb };
};

const post = (path: string, headers: Record<string, string>) => head(`POST ${path}`, headers);

/** Sends requests with bodies of `size` bytes that are all on their way at once, and gives the statuses of their answers. */
const floodOf = async (path: string, headers: Record<string, string>, size: number) => {
  const allButOne = Buffer.alloc(size - 1, "x");
  const connections = await Promise.all(Array.from({ length: FLOOD }, () => openRaw(instance.baseUrl)));
  for (const connection of connections) {
    connection.write(post(path, { ...headers, "Content-Length": `${size}` }));
    connection.write(allButOne);
  }
  await sleep(ON_THEIR_WAY_MS);
  return Promise.all(
    connections.map(async (connection): Promise<number | undefined> => {
      connection.write("x");
      const answer = await connection.answer();
      connection.end();
      return answer?.status;
    }),
  );
};

describe(`${FLOOD} webhooks of 4 MB with`, () => {
  // A process keeps the memory that it once had: only a new one shows what a flood needs.
  beforeEach(async () => {
    await instance.stop();
    instance = await startInstance({});
  });

  test.each([
    ["a wrong signature", WRONG],
    ["a malformed signature", { "X-Hub-Signature-256": "sha256=00" }],
    ["no signature", {}],
  ])(
    "%s: health and a neighbour's signed webhook are answered, and memory is bounded",
    async (_, headers) => {
      let statuses: (number | undefined)[] = [];
      const neighbour = await neighbourOf(async () => {
        statuses = await floodOf(WEBHOOK, headers, 4 * MB);
      });
      // Where the answer comes before the body is through, a reset may overtake it.
      expect(statuses.filter((status) => status !== undefined && ![401, 503].includes(status))).toEqual([]);
      expect([...neighbour.said].toSorted()).toEqual(["health: 200", "webhook: 200"]);
      expect(neighbour.slowestMs).toBeLessThan(MAX_WAIT_MS);
      expect(neighbour.grownMb).toBeLessThan(MAX_GROWTH_MB);
    },
    90_000,
  );
});

describe("a signature that nothing could match", () => {
  test.each([
    ["absent", {}],
    ["malformed", { "X-Hub-Signature-256": "sha256=00" }],
    ["under another hash", { "X-Hub-Signature-256": `sha1=${"0".repeat(40)}` }],
  ])("%s: 401 before a byte of the body has come", async (_, headers) => {
    const connection = await openRaw(instance.baseUrl);
    connection.write(post(WEBHOOK, { ...headers, "Content-Length": `${4 * MB}` }));
    const answer = await connection.answer();
    connection.end();
    if (!answer) throw new Error("no answer");
    expectError(answer, { status: 401, error: "UNAUTHORIZED", details: {} });
  });
});

describe("bodies that stay on their way", () => {
  /** Everything but the last byte. */
  const stall = async (path: string, headers: Record<string, string>, size: number): Promise<RawConnection> => {
    const connection = await openRaw(instance.baseUrl);
    connection.write(post(path, { ...headers, "Content-Length": `${size}` }));
    connection.write(Buffer.alloc(size - 1, "x"));
    return connection;
  };

  /** The first of them that gets a 503. Which one it is depends on how much of each has come. */
  const refusedOf = (stalled: RawConnection[]) =>
    Promise.any(
      stalled.map(async (connection) => {
        const answer = await connection.answer();
        if (answer?.status !== 503) throw new Error(`${answer?.status}`);
        return answer;
      }),
    );

  test("beyond 32 MiB some get 503, and a signed webhook of 4 MB is read", async () => {
    const stalled: RawConnection[] = [];
    for (let count = 0; count < 12; count++) stalled.push(await stall(WEBHOOK, WRONG, 4 * MB));
    expectError(await refusedOf(stalled), {
      status: 503,
      error: "SERVICE_UNAVAILABLE",
      details: { retryable: true, retryAfterSeconds: 5 },
    });
    const large = JSON.stringify({ object: "whatsapp_business_account", entry: [], more: "x".repeat(4 * MB - 100) });
    const headers = { "x-hub-signature-256": signatureOf(large) };
    const answer = await request("POST", `${instance.baseUrl}${WEBHOOK}`, { body: large, headers });
    expect(answer.status, answer.text).toBe(200);
    for (const connection of stalled) connection.end();
  });

  test("to the partner API are not read before their sender is proven", async () => {
    const connection = await openRaw(instance.baseUrl);
    const address = { "X-Forwarded-For": freshAddress() };
    connection.write(post(SEND, { ...address, apiKey: "pk_live_x", apiSecret: "x", "Content-Length": "200000" }));
    const answer = await connection.answer();
    connection.end();
    expect(answer?.status).toBe(401);
    // Not after the 10 s that a body has to arrive.
    expect(answer?.ms).toBeLessThan(9_000);
  });

  test("to pages beyond 32 MiB: some get 503, and pages are read on", async () => {
    const own = { Origin: instance.baseUrl, "Next-Action": "0".repeat(42) };
    const stalled: RawConnection[] = [];
    for (let count = 0; count < 140; count++) stalled.push(await stall("/sign-in", own, 250_000));
    await refusedOf(stalled);
    expect((await request("GET", `${instance.baseUrl}/docs`)).status).toBe(200);
    for (const connection of stalled) connection.end();
  });

  test("to sign-in leave the sends of others alone", async () => {
    const { apiKey, apiSecret, clientAddress } = await provisionWorkspace();
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const stalled = await Promise.all(
      Array.from({ length: 600 }, () => stall("/api/auth/callback/credentials", form, 60 * 1_024)),
    );
    const answer = await request("POST", `${instance.baseUrl}${SEND}`, {
      headers: { apiKey, apiSecret, "x-forwarded-for": clientAddress },
      body: JSON.stringify({ type: "text", phone: PHONE, content: "Hello" }),
    });
    expect(answer.status, answer.text).toBe(201);
    await refusedOf(stalled);
    for (const connection of stalled) connection.end();
  });
});
