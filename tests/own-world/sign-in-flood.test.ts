import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "../support/databases";
import { startInstance, testServers } from "../support/environment";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../support/limits";
import { whileLocked } from "../support/row-lock";
import { onRows } from "../support/rows";
import { submitSignIn } from "../support/session";
import { provisionWorkspace, request } from "../support/workspace";

const PER_ADDRESS = 30;
const FLOOD = 110;
/** A flood used to keep others waiting for more than 8 s. Generous, and more so where the machine is busy with others. */
const promptMs = (quietMs: number) => 4_000 + 20 * quietMs;

let other: Awaited<ReturnType<typeof startInstance>>;
let stop: () => Promise<void>;
/** Two processes over a database of their own: a flood must not fail other tests. */
beforeAll(async () => {
  const database = await createDatabase({ isMigrated: true });
  const settings = { DATABASE_URL: database.url };
  const [one, two] = await Promise.all([startInstance(settings), startInstance(settings)]);
  const servers = testServers();
  const environment = { ...servers.environment, ...settings, APP_URL: one.baseUrl };
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, baseUrl: one.baseUrl, environment });
  other = two;
  stop = async () => {
    await Promise.all([one.stop(), two.stop()]);
    await database.drop();
  };
  // Their first connections are made outside the flood.
  for (const { baseUrl } of [one, two]) await wrong(freshAddress(), baseUrl);
});
afterAll(() => stop());
beforeEach(awayFromWindowEdge);

const wrong = (address: string, baseUrl = testServers().baseUrl) =>
  submitSignIn({ email: `nobody-${crypto.randomUUID()}@example.test`, password: "not it" }, { address, baseUrl });

const usedOf = async (address: string): Promise<number> => {
  const rows = await onRows(
    (sql) => sql<{ used: number }[]>`select used from rate_windows where id = ${`sign-in:ip:${address}`}`,
  );
  return rows[0]?.used ?? 0;
};

describe("wrong sign-ins at once from one address", () => {
  test("of 110 thirty are checked and the others refused with 429, and thirty are counted", async () => {
    const address = freshAddress();
    const answers = await callInParallel(FLOOD, () => wrong(address));
    expect(statuses(answers)).toEqual({ 401: PER_ADDRESS, 429: FLOOD - PER_ADDRESS });
    await expect.poll(() => usedOf(address)).toBe(PER_ADDRESS);
  });

  test("beyond the limit they are refused while another holds the row of their count", async () => {
    const address = freshAddress();
    await callInParallel(PER_ADDRESS, () => wrong(address));
    const flood = () => callInParallel(PER_ADDRESS, () => wrong(address));
    const refused = await whileLocked(`sign-in:ip:${address}`, flood, "rate_windows");
    expect(statuses(refused)).toEqual({ 429: PER_ADDRESS });
  });

  test("two processes let thirty through together", async () => {
    const address = freshAddress();
    const answers = await callInParallel(2 * PER_ADDRESS, (i) =>
      wrong(address, i % 2 ? other.baseUrl : testServers().baseUrl),
    );
    expect(statuses(answers)).toEqual({ 401: PER_ADDRESS, 429: PER_ADDRESS });
  });

  test("beyond the limit they are all 429, write nothing, and delay neither the owner nor a partner's read", async () => {
    const workspace = await provisionWorkspace();
    const address = freshAddress();
    await callInParallel(PER_ADDRESS, () => wrong(address));
    const timed = async (what: string, call: () => Promise<{ status: number }>) => {
      const startedAtMs = performance.now();
      const { status } = await call();
      return { what, status, ms: performance.now() - startedAtMs };
    };
    const askTheOthers = () =>
      Promise.all([
        timed("owner", () => submitSignIn(workspace.owner)),
        timed("read", () => workspace.call("GET", "/api/v1/public/templates")),
        timed("health", () => request("GET", `${testServers().baseUrl}/api/health`)),
      ]);
    const quietMs = Math.max(...(await askTheOthers()).map(({ ms }) => ms));
    const round = async () => {
      const flood = callInParallel(FLOOD, () => wrong(address));
      await sleep(50);
      const others = await askTheOthers();
      return { refused: statuses(await flood), others };
    };
    // A machine may be so busy with other tests that a process misses the database's answer; hardly ever in four rounds.
    let seen = await round();
    for (let again = 0; again < 3 && JSON.stringify(seen).includes("503"); again++) seen = await round();
    const { refused, others } = seen;
    console.log(`flood: the slowest of the others took ${Math.max(...others.map(({ ms }) => ms)).toFixed(0)} ms`);
    expect(refused).toEqual({ 429: FLOOD });
    expect(others.filter(({ status }) => status !== 200)).toEqual([]);
    expect(others.filter(({ ms }) => ms > promptMs(quietMs))).toEqual([]);
    expect(await usedOf(address)).toBe(PER_ADDRESS);
  }, 120_000);
});
