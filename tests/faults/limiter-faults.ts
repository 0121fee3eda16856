import { setTimeout as sleep } from "node:timers/promises";
import { awayFromWindowEdge } from "../support/limits";
import { startUpstash, type UpstashStandIn } from "../support/upstash";
import { outgoing } from "./client";
import { type Fault, once } from "./fault";
import type { ClientAnswer } from "./history";
import { startLoad, strangeAnswers } from "./load";
import { recipientFor } from "./platform";
import { type FaultyProxy, startProxy } from "./proxy";
import { createScene, faultsAtEnd, timeUntil } from "./scene";
import type { Instance, World } from "./world";

const SENDS = 20;
/** Both limits wait 150 ms for a store at most, and once a second one request does. */
const MAX_SLOWER_MS = 1_000;
const LIMIT = 25;
const FIRST = 10;
const ILL_RUNS = 3;

const slowestOf = (answers: ClientAnswer[]) => Math.max(...answers.map(({ ms }) => ms));

type Parts = { instance: Instance; proxy: FaultyProxy; store: UpstashStandIn };

/** A server whose limits live in an Upstash that can be ill, behind a proxy that can be worse. */
const withStore = async (world: World, changes: Record<string, string>, work: (parts: Parts) => Promise<void>) => {
  const store = await startUpstash();
  const proxy = await startProxy(Number(new URL(store.url).port));
  const instance = await world.startInstance({
    changes: {
      UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${proxy.port}`,
      UPSTASH_REDIS_REST_TOKEN: store.token,
      ...changes,
    },
  });
  try {
    await work({ instance, proxy, store });
  } finally {
    await instance.stop();
    await proxy.stop();
    await store.stop();
  }
};

/** The store falls ill: sends go on at once, and go on when it is well again. */
const ill = (title: string, fall: (parts: Parts) => unknown): Fault => ({
  title: `limiter store ${title}`,
  isShort: false,
  run: once(async (findings, world) => {
    await withStore(world, {}, async (parts) => {
      const { instance, proxy, store } = parts;
      const scene = await createScene(world, [instance]);
      const sendMany = () =>
        Promise.all(Array.from({ length: SENDS }, () => scene.send(instance, outgoing(recipientFor("well")))));
      await sendMany();
      const usualMs = slowestOf(await sendMany());
      for (let run = 0; run < ILL_RUNS; run++) {
        findings.runs += 1;
        await fall(parts);
        const during = await sendMany();
        store.feel("well");
        await proxy.heal();
        const afterwards = await sendMany();
        findings.recovered(slowestOf(afterwards));
        findings.expect(
          [...during, ...afterwards].every(({ status }) => status === 201),
          "a send was not answered 201",
        );
        const slowerMs = slowestOf(during) - usualMs;
        findings.expect(slowerMs <= MAX_SLOWER_MS, `the slowest send took ${slowerMs.toFixed(0)} ms more than usual`);
      }
      findings.expect(store.keys().length > 0, "the store was never used");
      findings.faults.push(...(await faultsAtEnd(scene, instance, title)));
    });
  }),
});

/** In the middle of a limit the store goes away, or forgets: how many pass in the end. */
const inTheMiddle = (title: string, mostPass: number, disturb: (parts: Parts) => unknown): Fault => ({
  title: `limiter store ${title} in the middle of a limit of ${LIMIT}`,
  isShort: false,
  run: once(async (findings, world) => {
    await withStore(world, { PUBLIC_API_KEY_RATE_LIMIT: `${LIMIT}` }, async (parts) => {
      for (let run = 0; run < 3; run++) {
        await awayFromWindowEdge();
        findings.runs += 1;
        const scene = await createScene(world, [parts.instance]);
        const send = () => scene.send(parts.instance, outgoing(recipientFor("well")));
        for (let sent = 0; sent < FIRST; sent++) await send();
        await disturb(parts);
        for (let group = 0; group < LIMIT / 5; group++) await Promise.all(Array.from({ length: 10 }, send));
        await parts.proxy.heal();
        const passed = scene.answers.filter(({ status }) => status === 201).length;
        const odd = scene.answers.filter(({ status }) => status !== 201 && status !== 429).map(({ status }) => status);
        findings.recovered(slowestOf(scene.answers));
        findings.expect(passed === mostPass, `${passed} passed, not ${mostPass}`);
        findings.expect(odd.length === 0, `sends were answered ${[...new Set(odd)].join(", ")}`);
        findings.faults.push(...(await faultsAtEnd(scene, parts.instance, title)));
      }
    });
  }),
});

/** Without Upstash the limits are rows of a table that a crash of Postgres empties: a new window, and nothing worse. */
const tableEmptied: Fault = {
  title: "limiter's table emptied under load",
  isShort: false,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a, world.b]);
    const load = await startLoad(scene, [world.a, world.b]);
    for (let run = 0; run < 5; run++) {
      findings.runs += 1;
      await sleep(300);
      const emptiedAtMs = Date.now();
      await world.sql`truncate rate_windows`;
      await timeUntil(() => load.firstSendAfter(emptiedAtMs) !== null, 6_000);
      findings.recovered(load.firstSendAfter(emptiedAtMs) ?? 6_000);
    }
    await load.stop();
    findings.faults.push(...strangeAnswers(scene, load.seen, []));
    findings.faults.push(...(await faultsAtEnd(scene, world.a, "emptied")));
  }),
};

export const LIMITER_FAULTS: Fault[] = [
  ill("refuses connections", ({ proxy }) => proxy.refuse()),
  ill("hangs", ({ store }) => store.feel("hanging")),
  ill("is a black hole", ({ proxy }) => proxy.drop()),
  ill("cuts its answers", ({ proxy }) => proxy.cutAnswersAfter(20)),
  ill("answers HTML", ({ store }) => store.feel("html")),
  ill("answers an error", ({ store }) => store.feel("error")),
  ill("answers nonsense", ({ store }) => store.feel("nonsense")),
  ill("is flushed", ({ store }) => store.forget()),
  inTheMiddle("goes away", LIMIT, ({ proxy }) => proxy.drop()),
  // It counts from zero, so that what passed before passes again, and no more.
  inTheMiddle("is flushed", FIRST + LIMIT, ({ store }) => store.forget()),
  tableEmptied,
];
