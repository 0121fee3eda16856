import { startUpstash, type UpstashMood } from "../support/upstash";
import { outgoing } from "./client";
import { type Fault, Findings, quantile } from "./fault";
import { recipientFor } from "./platform";
import { type FaultyProxy, startProxy } from "./proxy";
import { createScene, faultsOf } from "./scene";
import type { World } from "./world";

const SENDS = 30;
/** Both limits wait 150 ms for a store at most, and once a second one request does. */
const MAX_SEND_MS = 1_500;
const LIMIT = 25;

/** A server whose limits live in an Upstash that can be ill, behind a proxy that can be worse. */
const withStore = async (
  world: World,
  changes: Record<string, string>,
  work: (parts: {
    instance: Awaited<ReturnType<World["startInstance"]>>;
    proxy: FaultyProxy;
    feel: (mood: UpstashMood) => void;
  }) => Promise<void>,
) => {
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
    await work({ instance, proxy, feel: store.feel });
  } finally {
    await instance.stop();
    await proxy.stop();
    await store.stop();
  }
};

const ILLNESSES: [name: string, fall: (parts: { proxy: FaultyProxy; feel: (mood: UpstashMood) => void }) => unknown][] =
  [
    ["refuses connections", ({ proxy }) => proxy.refuse()],
    ["hangs", ({ feel }) => feel("hanging")],
    ["is a black hole", ({ proxy }) => proxy.drop()],
    ["cuts its answers", ({ proxy }) => proxy.cutAnswersAfter(20)],
    ["answers HTML", ({ feel }) => feel("html")],
    ["answers an error", ({ feel }) => feel("error")],
    ["answers nonsense", ({ feel }) => feel("nonsense")],
  ];

const ill: Fault = {
  title: "limiter store refused, hanging, cut, HTML, error, nonsense",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    await withStore(world, {}, async ({ instance, proxy, feel }) => {
      const scene = await createScene(world, [instance]);
      for (const [name, fall] of ILLNESSES) {
        await fall({ proxy, feel });
        const messages = Array.from({ length: SENDS }, () => outgoing(recipientFor("well")));
        const answers = await Promise.all(messages.map((message) => scene.send(instance, message)));
        findings.runs += answers.length;
        const times = answers.map(({ ms }) => ms);
        findings.recovered(quantile(times, 1));
        findings.expect(
          answers.every(({ status }) => status === 201),
          `a store that ${name}: a send was not answered 201`,
        );
        findings.expect(quantile(times, 1) <= MAX_SEND_MS, `a store that ${name}: ${quantile(times, 1).toFixed(0)} ms`);
        feel("well");
        await proxy.heal();
      }
      await scene.tell(instance);
      findings.faults.push(...(await faultsOf(scene, "limiter")));
    });
    return findings;
  },
};

/** A store that forgets everything, and one that goes away, are no free pass. */
const noFreePass: Fault = {
  title: `limiter store lost in the middle of a limit of ${LIMIT}`,
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    await withStore(world, { PUBLIC_API_KEY_RATE_LIMIT: `${LIMIT}` }, async ({ instance, proxy }) => {
      const scene = await createScene(world, [instance]);
      const send = () => scene.send(instance, outgoing(recipientFor("well")));
      for (let sent = 0; sent < 10; sent++) await send();
      proxy.drop();
      await Promise.all(Array.from({ length: LIMIT * 2 }, send));
      const passed = scene.answers.filter(({ status }) => status === 201).length;
      findings.runs = scene.answers.length;
      findings.recovered(Math.max(...scene.answers.map(({ ms }) => ms)));
      findings.expect(passed === LIMIT, `${passed} passed a limit of ${LIMIT}`);
      findings.faults.push(...(await faultsOf(scene, "no free pass")));
    });
    return findings;
  },
};

/** Without Upstash the limits are rows of a table that a crash of Postgres empties: a new window, and nothing worse. */
const flushed: Fault = {
  title: "limiter's table emptied under load",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    const scene = await createScene(world, [world.a, world.b]);
    const sending = Promise.all(Array.from({ length: 60 }, () => scene.sendForSure(outgoing(recipientFor("well")))));
    for (let run = 0; run < 5; run++) await world.sql`truncate rate_windows`;
    const startedAtMs = performance.now();
    const answers = await sending;
    findings.recovered(performance.now() - startedAtMs);
    findings.runs = 5;
    findings.expect(
      answers.every((answer) => answer?.status === 201),
      "a send was not answered 201",
    );
    await scene.tell(world.a);
    findings.faults.push(...(await faultsOf(scene, "flushed")));
    return findings;
  },
};

export const LIMITER_FAULTS: Fault[] = [ill, noFreePass, flushed];
