import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { expectRateHeaders } from "../../support/edge-headers";
import { startInstance } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { floodPair } from "../../support/instance-pair";
import { limitKey } from "../../support/key-limits";
import { awayFromWindowEdge, callInParallel, callInTurn, freshAddress, statuses } from "../../support/limits";
import { expectError } from "../../support/sends";
import { startUpstash, type UpstashMood, type UpstashStandIn } from "../../support/upstash";
import { provisionWorkspace, request } from "../../support/workspace";

const TEMPLATES = "/api/v1/public/templates";
const UNKNOWN_PATH = "/api/v1/public/nothing";
const LIMITS = { PUBLIC_API_IP_RATE_LIMIT: "20", PUBLIC_API_KEY_RATE_LIMIT: "30" };

const settings = ({ url, token }: UpstashStandIn) => ({
  ...LIMITS,
  UPSTASH_REDIS_REST_URL: url,
  UPSTASH_REDIS_REST_TOKEN: token,
});

/** The store is Lua in JavaScript: of more at once a busy machine counts some too late. */
const EIGHT = 8;

beforeEach(awayFromWindowEdge);

describe("Upstash", () => {
  const store = forSuite(() => startUpstash());

  test("exactly 10 of 20 calls of one address, eight at a time, pass on two instances", async () => {
    const addresses: string[] = [];
    const counts = await floodPair({
      settings: { ...settings(store), PUBLIC_API_IP_RATE_LIMIT: "10" },
      rounds: 1,
      flood: (urlOf) => {
        const address = freshAddress();
        addresses.push(address);
        return callInTurn(20, EIGHT, (i) =>
          request("GET", `${urlOf(i)}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": address } }),
        );
      },
    });
    expect(counts).toEqual([{ 404: 10, 429: 10 }]);
    expect(store.keys().some((key) => key.startsWith(`rl:ip:${addresses[0]}`))).toBe(true);
  }, 120_000);

  test("exactly 10 of 20 calls of one key, eight at a time, pass on two instances", async () => {
    const counts = await floodPair({
      settings: { ...settings(store), PUBLIC_API_KEY_RATE_LIMIT: "10" },
      rounds: 1,
      flood: async (urlOf) => {
        const { apiKey, apiSecret } = await provisionWorkspace();
        return callInTurn(20, EIGHT, (i) =>
          request("GET", `${urlOf(i)}${TEMPLATES}`, {
            headers: { "x-forwarded-for": freshAddress(), apiKey, apiSecret },
          }),
        );
      },
    });
    expect(counts).toEqual([{ 200: 10, 429: 10 }]);
  }, 120_000);

  test("a call from outside the IP ranges of its key takes nothing from the key's limit", async () => {
    const { baseUrl, stop } = await startInstance({ ...settings(store), PUBLIC_API_KEY_RATE_LIMIT: "2" }, "API");
    const workspace = await provisionWorkspace();
    await limitKey(workspace, { ipRanges: ["203.0.113.0/24"] });
    const { apiKey, apiSecret } = workspace;
    const from = async (ip: string) =>
      (await request("GET", `${baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": ip, apiKey, apiSecret } }))
        .status;
    const outside = [await from(freshAddress()), await from(freshAddress()), await from(freshAddress())];
    expect([...outside, await from("203.0.113.7"), await from("203.0.113.8")]).toEqual([403, 403, 403, 200, 200]);
    expect(await from("203.0.113.9")).toBe(429);
    await stop();
  });

  test("its headers and its refusals are true", async () => {
    const { baseUrl, stop } = await startInstance(settings(store), "API");
    const { apiKey, apiSecret } = await provisionWorkspace();
    const call = () =>
      request("GET", `${baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": freshAddress(), apiKey, apiSecret } });
    expectRateHeaders(await call(), { limit: 20, remaining: 19, policies: { ip: 20, key: 30 } });
    let refused = await call();
    while (refused.status === 200) refused = await call();
    const seconds = Number(refused.headers.get("retry-after"));
    expect(Math.abs(seconds - (900 - ((Date.now() / 1_000) % 900)))).toBeLessThan(5);
    expectError(refused, {
      status: 429,
      error: "RATE_LIMIT_EXCEEDED",
      details: { scope: "key", limit: 30, retryable: true, retryAfterSeconds: seconds },
    });
    await stop();
  });
});

describe("a store that is unavailable", () => {
  // One that answers with an error is in the last test.
  const sicknesses: UpstashMood[] = ["hanging", "html", "nonsense"];

  test.each([...sicknesses, "refusing" as const])(
    "%s: this process counts, soon, with the same limits",
    async (how) => {
      const store = await startUpstash();
      const { baseUrl, logFile, stop } = await startInstance(settings(store), "API");
      const { apiKey, apiSecret } = await provisionWorkspace();
      const address = freshAddress();
      const call = () =>
        request("GET", `${baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": address, apiKey, apiSecret } });
      // What the store has counted before it went away is not forgotten.
      for (let i = 0; i < 5; i++) expect((await call()).status).toBe(200);
      if (how === "refusing") await store.close();
      else store.feel(how);

      const startedAtMs = performance.now();
      expectRateHeaders(await call(), { limit: 20, remaining: 14, policies: { ip: 20, key: 30 } });
      expect(performance.now() - startedAtMs).toBeLessThan(10_000);
      const answers = await callInParallel(30, call);
      expect(statuses(answers)).toEqual({ 200: 14, 429: 16 });
      expect(answers.find(({ status }) => status === 429)?.body.details.scope).toBe("ip");

      const log = readFileSync(logFile, "utf8");
      expect(log.match(/limiter\.store-away/g)).toHaveLength(1);
      await Promise.all([stop(), store.stop()]);
    },
  );

  test("is asked by one call a second, for which the others do not wait", async () => {
    const store = await startUpstash();
    const { baseUrl, stop } = await startInstance(settings(store), "API");
    const call = () => request("GET", `${baseUrl}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": freshAddress() } });
    store.feel("hanging");
    expect((await call()).status).toBe(404);
    await sleep(1_200);
    const before = store.asked();
    expect(statuses(await callInParallel(20, call))).toEqual({ 404: 20 });
    // On a busy machine they take more than a second.
    expect(store.asked() - before).toBeLessThanOrEqual(3);
    await Promise.all([stop(), store.stop()]);
  });

  test("the store is asked again once it is back", async () => {
    const store = await startUpstash();
    const { baseUrl, stop } = await startInstance(settings(store), "API");
    const call = (address: string) =>
      request("GET", `${baseUrl}${UNKNOWN_PATH}`, { headers: { "x-forwarded-for": address } });
    store.feel("error");
    expect((await call(freshAddress())).headers.get("ratelimit-remaining")).toBe("19");
    expect(store.keys()).toEqual([]);
    store.feel("well");
    await expect
      .poll(async () => (await call(freshAddress())).status === 404 && store.keys().length)
      .toBeGreaterThan(0);
    await Promise.all([stop(), store.stop()]);
  });
});
