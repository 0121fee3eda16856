import { beforeEach, describe, expect } from "vitest";
import { queueCount, writeCounts } from "@/lib/limits/limiter";
import { expectRateHeaders } from "../../support/edge-headers";
import { startInstance } from "../../support/environment";
import { floodPair } from "../../support/instance-pair";
import { awayFromWindowEdge, callInParallel, callInTurn, freshAddress, statuses } from "../../support/limits";
import { sql } from "../../support/rows";
import { expectError } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace, request } from "../../support/workspace";

const TEMPLATES = "/api/v1/public/templates";
const SEND = "/api/v1/public/messages/send";
const UNKNOWN_PATH = "/api/v1/public/nothing";

beforeEach(awayFromWindowEdge);

describe("headers", () => {
  test("every answer names the tighter limit and both policies once the key is known", async ({ workspace }) => {
    const both = (remaining: number) => ({ limit: 100, remaining, policies: { ip: 100, key: 300 } });
    const ip = (remaining: number) => ({ limit: 100, remaining, policies: { ip: 100 } });
    const text = { type: "text", phone: "447700900123", content: "Hi" };
    expectRateHeaders(await workspace.call("GET", TEMPLATES), both(99));
    expectRateHeaders(await workspace.send(text), both(98));
    expectRateHeaders(await workspace.send({}), both(97));
    expectRateHeaders(await workspace.status("msg_unknown"), both(96));
    expectRateHeaders(await workspace.call("GET", TEMPLATES, { key: null }), ip(95));
    expectRateHeaders(await workspace.call("GET", UNKNOWN_PATH), ip(94));
    expectRateHeaders(await workspace.call("PUT", SEND), ip(93));
    expectRateHeaders(await workspace.call("POST", SEND, { rawBody: "x".repeat(262_145) }), ip(92));
    expectRateHeaders(await workspace.call("POST", SEND, { rawBody: "{" }), both(91));
    // From another address the key has used the six requests that proved it.
    const elsewhere = { headers: { "x-forwarded-for": freshAddress() } };
    expectRateHeaders(await workspace.call("GET", TEMPLATES, elsewhere), both(99));
  });

  test("a webhook and the health check are under no limit", async ({ workspace }) => {
    for (const path of ["/api/webhooks/whatsapp", "/api/health"]) {
      const { headers } = await workspace.call("GET", path);
      expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    }
  });
});

describe("429", () => {
  test("the 101st request of an address is refused, whatever the requests were, until the window ends", async () => {
    const workspace = await provisionWorkspace();
    const calls = [...Array(100).keys()].map((i) =>
      workspace.call(i % 2 ? "GET" : "DELETE", i % 3 ? UNKNOWN_PATH : SEND, { key: null }),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([404, 405]));
    for (const [method, path] of [
      ["GET", TEMPLATES],
      ["POST", SEND],
      ["GET", UNKNOWN_PATH],
      ["PUT", SEND],
    ] as const) {
      const answer = await workspace.call(method, path);
      const seconds = Number(answer.headers.get("retry-after"));
      expectError(answer, {
        status: 429,
        error: "RATE_LIMIT_EXCEEDED",
        details: { scope: "ip", limit: 100, retryable: true, retryAfterSeconds: seconds },
      });
      expect(Math.abs(seconds - (900 - ((Date.now() / 1_000) % 900)))).toBeLessThan(5);
      expect(answer.headers.get("ratelimit-reset")).toBe(`${seconds}`);
      expectRateHeaders(answer, { limit: 100, remaining: 0, policies: { ip: 100 } });
    }
    const elsewhere = await workspace.call("GET", TEMPLATES, { headers: { "x-forwarded-for": freshAddress() } });
    expect(elsewhere.status).toBe(200);
  });

  test("the text and both headers name the same second, also where a second ends between them", async () => {
    const workspace = await provisionWorkspace();
    await Promise.all(Array.from({ length: 101 }, () => workspace.call("GET", TEMPLATES)));
    const untilMs = performance.now() + 3_500;
    const lane = async () => {
      while (performance.now() < untilMs) {
        const { status, headers, body } = await workspace.call("GET", TEMPLATES);
        const seconds = `${body.details.retryAfterSeconds}`;
        expect([status, headers.get("retry-after"), headers.get("ratelimit-reset")]).toEqual([429, seconds, seconds]);
      }
    };
    await Promise.all(Array.from({ length: 10 }, lane));
  });

  test("the 301st request of a key is refused from any address, and no other key's", async ({ workspace }) => {
    const call = () => workspace.call("GET", TEMPLATES, { headers: { "x-forwarded-for": freshAddress() } });
    const answers = await callInTurn(300, 20, call);
    expect(statuses(answers)).toEqual({ 200: 300 });
    const refused = await call();
    const seconds = Number(refused.headers.get("retry-after"));
    expectError(refused, {
      status: 429,
      error: "RATE_LIMIT_EXCEEDED",
      details: { scope: "key", limit: 300, retryable: true, retryAfterSeconds: seconds },
    });
    expectRateHeaders(refused, { limit: 300, remaining: 0, policies: { ip: 100, key: 300 } });
    expect((await workspace.call("GET", TEMPLATES, { key: workspace.keys.other ?? null })).status).toBe(200);
  });

  test("all addresses of one IPv6 /64 are one client, those of the next are another", async () => {
    const { baseUrl } = await provisionWorkspace();
    const network = `2001:db8:${randomGroup()}:${randomGroup()}`;
    const call = (address: string) =>
      request("GET", `${baseUrl}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": address } });
    const remaining = async (address: string) => Number((await call(address)).headers.get("ratelimit-remaining"));
    expect(await remaining(`${network}::1`)).toBe(99);
    expect(await remaining(`${network}:ffff:1:2:3`)).toBe(98);
    expect(await remaining(`[${network}::2]:443`)).toBe(97);
    const next = (Number.parseInt(network.split(":")[3] ?? "", 16) ^ 1).toString(16);
    expect(await remaining(`${network.split(":").slice(0, 3).join(":")}:${next}::1`)).toBe(99);
    const address = freshAddress();
    expect(await remaining(address)).toBe(99);
    expect(await remaining(`::ffff:${address}`)).toBe(98);
  });
});

describe("a key that is over its limit", () => {
  const LIMIT = 3;
  const KNOWN_MS = 10_000;

  test("is refused without a look, and its address is counted; a wrong secret and a revocation are reported all the same", async () => {
    const workspace = await provisionWorkspace();
    const { apiKey, apiSecret, keys } = workspace;
    const instance = await startInstance({ PUBLIC_API_KEY_RATE_LIMIT: `${LIMIT}` }, "API");
    const address = freshAddress();
    const list = (pair: Record<string, string>, from = address) =>
      request("GET", `${instance.baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": from, ...pair } });
    try {
      for (let call = 0; call < LIMIT; call++) expect((await list({ apiKey, apiSecret })).status).toBe(200);
      const knownAtMs = performance.now();
      for (let call = 0; call < 10; call++) {
        const refused = await list({ apiKey, apiSecret });
        expect(refused.status).toBe(429);
        expect(refused.body.details.scope).toBe("key");
        expectRateHeaders(refused, { limit: LIMIT, remaining: 0, policies: { ip: 100, key: LIMIT } });
        expect(refused.headers.get("x-mode")).toBe("live");
      }
      expect((await list({ apiKey, apiSecret: `${apiSecret}x` })).status).toBe(401);
      expect((await list(keys.other ?? {}, freshAddress())).status).toBe(200);
      // Of the address each call counts: those above, the one with a wrong secret, and this one.
      const left = async () => Number((await list({})).headers.get("ratelimit-remaining"));
      let asked = 0;
      await expect.poll(async () => (await left()) + ++asked, { interval: 300 }).toBe(100 - LIMIT - 10 - 1);
      await sql`update api_keys set revoked_at = now() where api_key = ${apiKey}`;
      // A second more than the 10 s: the last one of these was proven at the latest when it was first refused.
      const patience = { timeout: KNOWN_MS + 1_000 - (performance.now() - knownAtMs), interval: 500 };
      await expect.poll(async () => (await list({ apiKey, apiSecret }, freshAddress())).status, patience).toBe(401);
    } finally {
      await instance.stop();
    }
  });
});

test("a call that is counted late leaves the next window as another server has begun it", async ({ workspace }) => {
  const [moved, usual] = [freshAddress(), freshAddress()];
  const list = (address: string) => workspace.call("GET", TEMPLATES, { headers: { "x-forwarded-for": address } });
  const windowOf = (address: string) =>
    sql<{ bucket: number; used: number }[]>`
    select bucket::int, used from rate_windows where id = ${`rl:ip:${address}`}`.then(([row]) => row);
  for (const address of [moved, usual]) expect((await list(address)).status).toBe(200);
  await sql`
    update rate_windows set used = 300
    where id = (select 'rl:key:' || id from api_keys where api_key = ${workspace.apiKey})`;
  expect((await list(usual)).status).toBe(429);
  await sql`update rate_windows set bucket = bucket + 1, used = 7 where id = ${`rl:ip:${moved}`}`;
  const before = [await windowOf(moved), await windowOf(usual)];
  // Refused without a look, so counted within a second, in this order.
  for (const address of [moved, usual]) expect((await list(address)).status).toBe(429);
  await expect.poll(async () => (await windowOf(usual))?.used).toBe((before[1]?.used ?? 0) + 1);
  expect(await windowOf(moved)).toEqual(before[0]);
});

test("a count whose window has ended is forgotten, also where its id is counted again before it is written", async () => {
  const id = `rl:ip:${freshAddress()}`;
  const windows = () => sql<{ used: number }[]>`select used from rate_windows where id = ${id}`;
  expect(await windows()).toEqual([]);
  queueCount(id, performance.now() - 1, 5);
  queueCount(id, performance.now() + 60_000);
  await writeCounts();
  expect(await windows()).toEqual([{ used: 1 }]);
});

describe("calls of one address that come together", () => {
  test("count for a key only where the address has room and the secret is right, in whatever mixture", async () => {
    const [PASS, CALLS] = [20, 90];
    const workspace = await provisionWorkspace({ extraKeys: ["second"] });
    const { main, second } = workspace.keys;
    const instance = await startInstance({ PUBLIC_API_IP_RATE_LIMIT: `${PASS}` }, "API");
    const list = (headers: Record<string, string>) => request("GET", `${instance.baseUrl}${TEMPLATES}`, { headers });
    const pairs = [main, second, { apiKey: main?.apiKey ?? "", apiSecret: second?.apiSecret ?? "" }, {}];
    const asked = [...Array(CALLS).keys()].map((i) => pairs[i % pairs.length]);
    try {
      const address = freshAddress();
      const answers = await callInParallel(CALLS, (i) => list({ "x-forwarded-for": address, ...asked[i] }));
      const { 200: passed = 0, 401: unproven = 0, 429: refused = 0 } = statuses(answers);
      expect([passed + unproven, refused]).toEqual([PASS, CALLS - PASS]);
      for (const pair of [main, second]) {
        const used = answers.filter(({ status }, i) => status === 200 && asked[i] === pair).length;
        const next = await list({ "x-forwarded-for": freshAddress(), ...pair });
        // The address has one call less, the key those that passed and this one.
        expectRateHeaders(next, { limit: PASS, remaining: PASS - 1, policies: { ip: PASS, key: 300 } });
        const [row] = await sql<{ used: number }[]>`
            select used from rate_windows where id = (select 'rl:key:' || id from api_keys where api_key = ${pair?.apiKey ?? ""})`;
        expect(row?.used).toBe(used + 1);
      }
    } finally {
      await instance.stop();
    }
  });

  test("that waited for their row while a new window began are counted in the new one", async ({ workspace }) => {
    const address = freshAddress();
    const list = () => workspace.call("GET", TEMPLATES, { headers: { "x-forwarded-for": address } });
    expect((await list()).status).toBe(200);
    const waiting = await sql.begin(async (tx) => {
      // As another server's call in the next window leaves it.
      await tx`update rate_windows set bucket = bucket + 1, used = 100 where id = ${`rl:ip:${address}`}`;
      const calls = Promise.all([list(), list()]);
      await expect
        .poll(async () => {
          const [row] = await tx<{ count: number }[]>`
            select count(*)::int as count from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
          return row?.count;
        })
        .toBeGreaterThan(0);
      return { calls };
    });
    expect(statuses(await waiting.calls)).toEqual({ 429: 2 });
  });
});

describe.each(["two servers", "two workers of one server"] as const)("%s on one database", (processes) => {
  const SETTINGS = { PUBLIC_API_IP_RATE_LIMIT: "40", PUBLIC_API_KEY_RATE_LIMIT: "60" };

  test("exactly 40 of 80 parallel calls of one address pass, each time", async () => {
    const counts = await floodPair({
      processes,
      settings: SETTINGS,
      rounds: 2,
      mostPass: 40,
      flood: (urlOf) => callUnknownPath(80, freshAddress(), urlOf),
    });
    expect(counts).toEqual(Array(2).fill({ 404: 40, 429: 40 }));
  }, 120_000);

  test("exactly 60 of 120 parallel calls of one key pass, each time", async () => {
    const counts = await floodPair({
      processes,
      settings: SETTINGS,
      rounds: 2,
      mostPass: 60,
      flood: async (urlOf) => {
        const { apiKey, apiSecret } = await provisionWorkspace();
        return callInParallel(120, (i) =>
          request("GET", `${urlOf(i)}${TEMPLATES}`, {
            headers: { "x-forwarded-for": freshAddress(), apiKey, apiSecret },
          }),
        );
      },
    });
    expect(counts).toEqual(Array(2).fill({ 200: 60, 429: 60 }));
  }, 120_000);

  test("exactly 300 of 600 parallel calls pass at a limit of 300 on two new ones", async () => {
    const counts = await floodPair({
      processes,
      settings: { PUBLIC_API_IP_RATE_LIMIT: "300" },
      rounds: 1,
      mostPass: 300,
      flood: (urlOf) => callUnknownPath(600, freshAddress(), urlOf),
    });
    expect(counts).toEqual([{ 404: 300, 429: 300 }]);
  }, 120_000);
});

const callUnknownPath = (count: number, address: string, urlOf: (i: number) => string) =>
  callInParallel(count, (i) =>
    request("GET", `${urlOf(i)}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": address } }),
  );

describe("TRUSTED_PROXY_HOPS=0", () => {
  test("an X-Forwarded-For that a client made up does not matter", async () => {
    const instance = await startInstance({ TRUSTED_PROXY_HOPS: "0", PUBLIC_API_IP_RATE_LIMIT: "100000" }, "API");
    const remaining = async (headers: Record<string, string>) => {
      const answer = await request("GET", `${instance.baseUrl}${UNKNOWN_PATH}`, { headers });
      return Number(answer.headers.get("ratelimit-remaining"));
    };
    const seen = [
      await remaining({}),
      await remaining({ "x-forwarded-for": freshAddress() }),
      await remaining({ "x-real-ip": freshAddress(), forwarded: `for=${freshAddress()}` }),
      await remaining({ "x-vercel-forwarded-for": freshAddress() }),
      await remaining({ "x-switchboard-socket-address": freshAddress() }),
    ];
    // Of one count, which other calls of this machine may lessen meanwhile.
    expect(seen).toEqual(seen.toSorted((one, other) => other - one));
    expect(new Set(seen).size).toBe(seen.length);
    await instance.stop();
  });

  test("behind one proxy only the last address of X-Forwarded-For counts", async ({ workspace: { baseUrl } }) => {
    const address = freshAddress();
    const remaining = async (forwarded: string) => {
      const answer = await request("GET", `${baseUrl}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": forwarded } });
      return Number(answer.headers.get("ratelimit-remaining"));
    };
    expect(await remaining(address)).toBe(99);
    expect(await remaining(`${freshAddress()}, ${address}`)).toBe(98);
    expect(await remaining(`nonsense, ${address}:4711`)).toBe(97);
  });
});

const randomGroup = () => Math.floor(Math.random() * 65_536).toString(16);
