import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FaultyProxy, startProxy } from "../faults/proxy";
import { onBusyMachine } from "../support/busy-machine";
import { startInstance, testServers } from "../support/environment";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../support/limits";
import { sql } from "../support/rows";
import { expectError } from "../support/sends";
import { type Answer, provisionWorkspace, request } from "../support/workspace";

const LIMIT = 300;
const CALLS = 600;
const TEMPLATES = "/api/v1/public/templates";
const UNKNOWN_PATH = "/api/v1/public/nothing";
/** 3 s by contract, and what a machine adds that runs eight such tests at once: 600 refusals are written at one instant. */
const ANSWERED_MS = 5_000;

type Instance = Awaited<ReturnType<typeof startInstance>>;
let proxies: FaultyProxy[];
let pair: Instance[];
beforeAll(async () => {
  const url = new URL(testServers().environment.DATABASE_URL ?? "");
  proxies = await Promise.all([startProxy(Number(url.port)), startProxy(Number(url.port))]);
  pair = await Promise.all(
    proxies.map(({ port }) => {
      url.port = `${port}`;
      return startInstance({ DATABASE_URL: url.href, PUBLIC_API_IP_RATE_LIMIT: `${LIMIT}` }, "API");
    }),
  );
});
afterAll(async () => {
  await Promise.all(pair.map(({ stop }) => stop()));
  await Promise.all(proxies.map(({ stop }) => stop()));
});
beforeEach(awayFromWindowEdge);

const flood = (address: string, count = CALLS): Promise<Answer[]> =>
  callInParallel(count, (i) =>
    request("GET", `${pair[i % 2]?.baseUrl}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": address } }),
  );

/** What became of the calls: 404 has passed the limiter, 429 was counted beyond it, 503 was not counted in time. */
const countsOf = (answers: Answer[]) => {
  const counts = statuses(answers);
  expect(Object.keys(counts).filter((status) => !["404", "429", "503"].includes(status))).toEqual([]);
  return { passed: counts[404] ?? 0, refused: counts[429] ?? 0, unanswered: counts[503] ?? 0 };
};

const heal = () => Promise.all(proxies.map((proxy) => proxy.heal()));

/** Until both answer again. */
const untilWell = () =>
  expect
    .poll(
      async () => {
        const asked = pair.map(({ baseUrl }) => request("GET", `${baseUrl}/api/health/ready`));
        return (await Promise.all(asked)).map(({ status }) => status);
      },
      { timeout: 10_000 },
    )
    .toEqual([200, 200]);

describe(`of ${CALLS} calls at a limit of ${LIMIT} on two processes never more than ${LIMIT} pass`, () => {
  test("while Postgres answers 3 s late, and after it", async () => {
    const address = freshAddress();
    const before = countsOf(await flood(address, 100));
    expect(before).toEqual({ passed: 100, refused: 0, unanswered: 0 });
    for (const proxy of proxies) proxy.delay(3_000);
    const during = await flood(address);
    await heal();
    await untilWell();
    const counted = countsOf(during);
    expect(counted.unanswered, JSON.stringify(counted)).toBeGreaterThan(0);
    for (const answer of during.filter(({ status }) => status === 503)) {
      const details = { retryable: true, retryAfterSeconds: 5 };
      expectError(answer, { status: 503, error: "SERVICE_UNAVAILABLE", details });
      expect(answer.headers.get("retry-after")).toBe("5");
      // Nothing is said of a limit that could not be read.
      expect([...answer.headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
      // By the server's own clock: 600 at once stand in this process's line, too.
      expect(Number(/^app;dur=([\d.]+)/.exec(answer.headers.get("server-timing") ?? "")?.[1])).toBeLessThan(
        ANSWERED_MS,
      );
    }
    const after = countsOf(await flood(address));
    // A process that was busy reads an answer that has arrived, late as it is: that call was counted.
    expect(before.passed + counted.passed + after.passed, JSON.stringify(counted)).toBeLessThanOrEqual(LIMIT);
  });

  test("while the limiter's row is locked for 3 s, and after it", async () => {
    const address = freshAddress();
    const before = countsOf(await flood(address, 100));
    const { calls } = await sql.begin(async (transaction) => {
      const rows = await transaction`select 1 from rate_windows where id like ${`%${address}`} for update`;
      expect(rows).toHaveLength(1);
      const calls = flood(address);
      await transaction`select pg_sleep(3)`;
      return { calls };
    });
    const counted = [before, countsOf(await calls), countsOf(await flood(address))];
    expect(
      counted.reduce((sum, { passed }) => sum + passed, 0),
      JSON.stringify(counted),
    ).toBeLessThanOrEqual(LIMIT);
  });

  test("on a machine that is kept busy", { timeout: 120_000 }, async () => {
    const address = freshAddress();
    const counted = await onBusyMachine(
      pair.map(({ pid }) => pid),
      async () => countsOf(await flood(address)),
    );
    expect(counted.passed, JSON.stringify(counted)).toBeLessThanOrEqual(LIMIT);
    if (counted.unanswered === 0) expect(counted.passed).toBe(LIMIT);
  });
});

describe("503 within 3 s in all", () => {
  const ask = async (headers: Record<string, string>) => {
    const startedAtMs = performance.now();
    const answer = await request("GET", `${pair[0]?.baseUrl}${TEMPLATES}`, { headers });
    return { answer, ms: performance.now() - startedAtMs };
  };

  test.each<[string, (proxy: FaultyProxy) => unknown]>([
    ["falls silent", (proxy) => proxy.drop()],
    ["answers 3 s late", (proxy) => proxy.delay(3_000)],
    ["answers each limit and no key in time", (proxy) => proxy.delay(1_900)],
  ])("for good, wrong and absent credentials where the database %s", async (_, disturb) => {
    const { apiKey, apiSecret } = await provisionWorkspace();
    const [proxy] = proxies;
    if (!proxy) throw new Error("no proxy");
    await untilWell();
    disturb(proxy);
    try {
      const kinds: Record<string, string>[] = [{ apiKey, apiSecret }, { apiKey, apiSecret: "sk_live_wrong" }, {}];
      for (const { answer, ms } of await Promise.all(
        kinds.map((keys) => ask({ ...keys, "x-forwarded-for": freshAddress() })),
      )) {
        expect(answer.status, answer.text).toBe(503);
        expect(ms).toBeLessThan(ANSWERED_MS);
      }
    } finally {
      await heal();
      await untilWell();
    }
  });

  test("a body that is too large is a 413 all the same", async () => {
    for (const proxy of proxies) proxy.drop();
    const answer = await request("POST", `${pair[0]?.baseUrl}/api/v1/public/messages/send`, {
      body: "x".repeat(262_145),
      headers: { "x-forwarded-for": freshAddress() },
    });
    await heal();
    await untilWell();
    expectError(answer, { status: 413, error: "PAYLOAD_TOO_LARGE", details: { maxBytes: 262_144, retryable: false } });
  });
});
