import { setTimeout as sleep } from "node:timers/promises";
import { startBacklog } from "./backlog";
import { outgoing } from "./client";
import { type Fault, Findings, once, quantile } from "./fault";
import { type PlatformFault, recipientFor } from "./platform";
import { createScene, faultsAtEnd, faultsOf } from "./scene";
import type { Instance } from "./world";

const EACH = 8;
const EACH_IN_SHORT = 2;
const MAX_SETTLE_MS = 1_000;
/** The short part runs on any machine, and measures nothing. */
const MAX_SETTLE_IN_SHORT_MS = 10_000;
const BULKHEAD_MS = 100;
/** What the product gives a connection. */
const CONNECT_MS = 3_000;
/** undici looks at its timers once or twice a second. */
const TIMER_MS = 2_000;

/** WhatsApp ill-treats some messages; what it accepted is settled as soon as its webhook arrives. */
const behaviour = (title: string, faults: PlatformFault[], isShort: boolean): Fault => ({
  title,
  isShort,
  run: async (world, { isShort: isHurried }) => {
    const findings = new Findings();
    const scene = await createScene(world, [world.a, world.b]);
    const each = isHurried ? EACH_IN_SHORT : EACH;
    const messages = faults.flatMap((fault) => Array.from({ length: each }, () => outgoing(recipientFor(fault))));
    findings.runs = messages.length;
    await Promise.all(messages.map((message) => scene.sendForSure(message)));
    // The callers repeat the call, whatever the first response was.
    await Promise.all(messages.map((message) => scene.send(world.b, message)));
    findings.faults.push(...(await faultsOf(scene, `${title}, before its webhooks`)));
    const accepted = new Set(scene.calls().flatMap(({ isAccepted, recipient }) => (isAccepted ? [recipient] : [])));
    for (const recipient of accepted) {
      findings.recovered(await scene.tell(world.a, ["sent"], recipient));
      const row = (await scene.rows()).find((one) => one.recipient === recipient);
      findings.expect(row?.status === "SENT", `${recipient} is ${row?.status} after its webhook`);
    }
    findings.expect(
      (findings.recoveryMs ?? 0) <= (isHurried ? MAX_SETTLE_IN_SHORT_MS : MAX_SETTLE_MS),
      `settled only ${findings.recoveryMs} ms after the webhook`,
    );
    findings.faults.push(...(await faultsAtEnd(scene, world.b, title)));
    return findings;
  },
});

/** Something between us and WhatsApp breaks; afterwards the next message goes out. */
const network = (
  title: string,
  isShort: boolean,
  disturb: (instance: Instance) => unknown,
  expected: number[],
): Fault => ({
  title,
  isShort,
  run: async (world, { isShort: isHurried }) => {
    const { a } = world;
    const findings = new Findings();
    const scene = await createScene(world, [a]);
    // Two sockets that are kept alive, for the fault to find.
    await Promise.all([1, 2].map(() => scene.send(a, outgoing(recipientFor("well")))));
    await disturb(a);
    const messages = Array.from({ length: isHurried ? EACH_IN_SHORT : EACH }, () => outgoing(recipientFor("well")));
    findings.runs = messages.length;
    const answers = await Promise.all(messages.map((message) => scene.send(a, message)));
    for (const { status } of answers) findings.expect(expected.includes(status), `${title}: answered ${status}`);
    await a.platform.heal();
    const healedAtMs = performance.now();
    await Promise.all(messages.map((message) => scene.sendForSure(message)));
    const next = await scene.sendForSure(outgoing(recipientFor("well")));
    findings.recovered(performance.now() - healedAtMs);
    findings.expect(next?.status === 201, `${title}: the next message was answered ${next?.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, world.b, title)));
    return findings;
  },
});

const closeIdle = async ({ platform }: Instance) => {
  platform.cut();
  // The server sees the end of the connection before it writes again.
  await sleep(100);
};

/** A listener whose queue is full: the kernel drops the first packet of a connection, so that none is made. */
const connectTimeout: Fault = {
  title: "platform takes no connection and refuses none",
  isShort: false,
  run: once(async (findings, world) => {
    const backlog = await startBacklog(world.platform.port);
    const instance = await world.startInstance({
      changes: { WHATSAPP_GRAPH_URL: `http://127.0.0.1:${backlog.port}` },
    });
    try {
      for (let run = 0; run < 3; run++) {
        const scene = await createScene(world, [instance]);
        await backlog.fill();
        const messages = Array.from({ length: EACH }, () => outgoing(recipientFor("well")));
        findings.runs += messages.length;
        for (const { status, outcome, ms } of await Promise.all(messages.map((one) => scene.send(instance, one)))) {
          findings.expect(status === 502 && outcome === "not_sent", `answered ${status} ${outcome}`);
          findings.expect(ms >= CONNECT_MS && ms <= CONNECT_MS + TIMER_MS, `waited ${ms.toFixed(0)} ms`);
        }
        findings.expect(scene.calls().length === 0, "WhatsApp received a message");
        await backlog.empty();
        const healedAtMs = performance.now();
        const sent = await Promise.all(messages.map((message) => scene.sendForSure(message)));
        findings.recovered(performance.now() - healedAtMs);
        findings.expect(
          sent.every((answer) => answer?.status === 201),
          "a message was not sent afterwards",
        );
        findings.faults.push(...(await faultsAtEnd(scene, instance, "no connection")));
      }
    } finally {
      await instance.stop();
      backlog.stop();
    }
  }),
};

const bulkhead: Fault = {
  title: "one line's platform is silent: another line's sends",
  isShort: false,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a], { lines: [{ ref: "silent" }, { ref: "well" }] });
    const { silent, well } = scene.workspace.lines;
    const sendOn = async (phoneNumberId: string | undefined, fault: PlatformFault) => {
      const answer = await scene.send(world.a, { ...outgoing(recipientFor(fault)), phoneNumberId });
      return answer.ms;
    };
    const measure = async () => {
      const times: number[] = [];
      for (let serial = 0; serial < 60; serial++) times.push(await sendOn(well?.id, "well"));
      return quantile(times, 0.95);
    };
    await measure();
    const before = await measure();
    const stuck = Array.from({ length: 60 }, () => sendOn(silent?.id, "silent"));
    await sleep(500);
    const during = await measure();
    const slowest = Math.max(...(await Promise.all(stuck)));
    findings.runs = stuck.length;
    findings.notes.push(
      `p95 of the other line ${before.toFixed(0)} ms, beside 60 silent calls ${during.toFixed(0)} ms; those waited ${(slowest / 1_000).toFixed(1)} s at most`,
    );
    findings.expect(during - before <= BULKHEAD_MS, `the other line became ${(during - before).toFixed(0)} ms slower`);
    findings.recovered(slowest);
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "bulkhead")));
  }),
};

const HAMMER_MS = 5_500;

const breaker: Fault = {
  title: "one line throttled for 5 s: probes of it, another line's sends",
  isShort: false,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a], { lines: [{ ref: "busy" }, { ref: "free" }] });
    const { busy, free } = scene.workspace.lines;
    const endsAtMs = Date.now() + HAMMER_MS;
    const times: number[] = [];
    const hammer = async (phoneNumberId: string | undefined, fault: PlatformFault) => {
      while (Date.now() < endsAtMs) {
        const answer = await scene.send(world.a, { ...outgoing(recipientFor(fault)), phoneNumberId });
        if (fault === "well") findings.expect(answer.status === 201, `the free line answered ${answer.status}`);
        else times.push(answer.ms);
        await sleep(fault === "well" ? 50 : 10);
      }
    };
    await Promise.all([...Array.from({ length: 8 }, () => hammer(busy?.id, "jammed")), hammer(free?.id, "well")]);
    const calls = scene.calls().filter(({ lineId }) => lineId === busy?.whatsappPhoneNumberId);
    const openedAtMs = calls[12]?.atMs ?? 0;
    const gaps = calls.slice(13).map(({ atMs }, i) => atMs - (calls[i + 12]?.atMs ?? 0));
    findings.runs = times.length;
    findings.notes.push(`${times.length} sends on the throttled line reached WhatsApp ${calls.length} times`);
    // Eight were in flight when the breaker opened; from then on one a second.
    findings.expect(calls.length <= 13 + HAMMER_MS / 1_000, `${calls.length} probes in ${HAMMER_MS} ms`);
    findings.expect(
      gaps.every((gap) => gap >= 950) || openedAtMs === 0,
      `probes followed after ${Math.min(...gaps)} ms`,
    );
    findings.recovered(quantile(times, 1));
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "breaker")));
  }),
};

export const PLATFORM_FAULTS_TRIED: Fault[] = [
  behaviour("platform silent for 10 s after the message", ["silent", "deaf"], false),
  behaviour("platform slow", ["slow"], false),
  behaviour("platform resets the connection", ["reset", "resetUnheard"], true),
  behaviour("platform answers half a JSON", ["half"], true),
  behaviour("platform answers 200 with rubbish", ["rubbish", "empty"], true),
  behaviour("platform answers 5xx", ["failing", "coded"], true),
  behaviour("platform throttles, is overloaded, refuses", ["throttled", "overloaded", "refused"], false),
  network("platform refuses connections", true, ({ platform }) => platform.refuse(), [502]),
  connectTimeout,
  network("platform cuts in the middle of its answer", true, ({ platform }) => platform.cutAnswersAfter(40), [502]),
  network("platform's answers come 1.5 s late", false, ({ platform }) => platform.delay(1_500), [201]),
  network("platform's answers trickle", false, ({ platform }) => platform.slow(200), [201]),
  network("kept-alive sockets of WhatsApp were closed", true, closeIdle, [201]),
  network("kept-alive sockets of WhatsApp went silent", false, ({ platform }) => platform.freezeOpen(), [201, 502]),
  network("platform is a black hole", false, ({ platform }) => platform.drop(), [502]),
  bulkhead,
  breaker,
];
