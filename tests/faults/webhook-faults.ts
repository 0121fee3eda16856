import { setTimeout as sleep } from "node:timers/promises";
import { statusWebhook } from "../support/workspace";
import { outgoing } from "./client";
import { type Fault, Findings, once, quantile } from "./fault";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, postSigned, type Scene, timeUntil } from "./scene";
import type { World } from "./world";

const WORDS = ["sent", "delivered", "read"];
const FLOOD = 5_000;
const FLOOD_CLIENTS = 500;

/** WhatsApp repeats for days; servers that are flooded say 503 to those that they cannot store yet. */
const PATIENCE = { withinMs: 180_000, maxPauseMs: 8_000 };

const secretOf = ({ environment }: World) => environment.WHATSAPP_APP_SECRET ?? "";

/** One webhook for each word of each accepted message, in any order that the caller likes. */
const webhooksOf = (scene: Scene, words: string[], ageSeconds = 0): object[] =>
  scene.calls().flatMap((call) =>
    words.map((status, i) =>
      statusWebhook(scene.workspace, [
        {
          id: call.whatsappMessageId ?? "",
          status,
          timestamp: `${Math.floor(call.atMs / 1_000) - ageSeconds + i}`,
          ...(call.messageId === null ? {} : { biz_opaque_callback_data: call.messageId }),
        },
      ]),
    ),
  );

const shuffled = <T>(items: T[]): T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((x, y) => x.order - y.order)
    .map(({ item }) => item);

/** So many at once, each repeated until it is taken; answers with how long each took. */
const postAll = async (world: World, bodies: object[], clients: number): Promise<number[]> => {
  const queue = [...bodies];
  const times: number[] = [];
  const startedAtMs = performance.now();
  const work = async (client: number) => {
    for (let body = queue.pop(); body; body = queue.pop()) {
      const postedAtMs = performance.now();
      await postSigned((client % 2 ? world.a : world.b).baseUrl, body, secretOf(world), PATIENCE);
      times.push(performance.now() - postedAtMs);
    }
  };
  // All of them to their end, so that none goes on into the next fault.
  const ends = await Promise.allSettled(Array.from({ length: clients }, (_, client) => work(client)));
  const failure = ends.find(({ status }) => status === "rejected");
  if (failure) {
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    throw new Error(`${times.length} of ${bodies.length} webhooks were taken in ${seconds} s`);
  }
  return times;
};

const keptEvents = async ({ sql }: World, { workspace }: Scene): Promise<number> => {
  const [kept] = await sql<{ count: number }[]>`
    select count(*)::int as count from status_events where workspace_id = ${workspace.workspaceId}`;
  return kept?.count ?? 0;
};

const beforeCommit: Fault = {
  title: "webhook before the commit of the outcome",
  isShort: true,
  run: async (world, { isShort }) => {
    const { a, b } = world;
    const findings = new Findings();
    for (let run = 0; run < (isShort ? 2 : 6); run++) {
      const point = run % 2 ? "after-outcome" : "after-call";
      findings.runs += 1;
      const scene = await createScene(world, [a, b]);
      a.order({ point, signal: "SIGSTOP" });
      const frozen = scene.send(a, outgoing(recipientFor("well")));
      await timeUntil(() => !a.isOrderOpen() && scene.calls().length === 1, 5_000);
      await sleep(50);
      findings.recovered(await scene.tell(b, WORDS));
      const [row] = await scene.rows();
      findings.expect(row?.status === "READ", `${point}: the row is ${row?.status} after its webhook`);
      a.signal("SIGCONT");
      const answer = await frozen;
      findings.expect(answer.status === 201, `${point}: the owner answered ${answer.status}`);
      findings.expect((await scene.rows())[0]?.status === "READ", `${point}: the outcome took the status back`);
      findings.faults.push(...(await faultsAtEnd(scene, b, point)));
    }
    return findings;
  },
};

const disorderly: Fault = {
  title: "webhooks five-fold, shuffled and days late, on both servers",
  isShort: true,
  run: async (world, { isShort }) => {
    const findings = new Findings();
    const scene = await createScene(world, [world.a, world.b]);
    const messages = Array.from({ length: isShort ? 10 : 40 }, () => outgoing(recipientFor("well")));
    await Promise.all(messages.map((message) => scene.sendForSure(message)));
    const once = [...webhooksOf(scene, WORDS), ...webhooksOf(scene, ["sent", "failed"], 3 * 86_400)];
    const times = await postAll(world, shuffled(Array.from({ length: 5 }, () => once).flat()), 30);
    findings.runs = times.length;
    findings.recovered(quantile(times, 1));
    await scene.tell(world.a, WORDS);
    const wrong = (await scene.rows()).filter(({ status }) => status !== "READ");
    findings.expect(wrong.length === 0, `${wrong.length} messages are not READ`);
    const kept = await keptEvents(world, scene);
    // Those that `tell` dates with the present are events of their own.
    findings.expect(kept >= once.length, `${kept} of ${once.length} events were kept`);
    findings.expect(kept <= once.length + messages.length * WORDS.length, "an event was kept twice");
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "disorderly")));
    return findings;
  },
};

const flood: Fault = {
  title: "5,000 webhooks from 500 clients at once",
  isShort: false,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a, world.b]);
    for (let batch = 0; batch < 10; batch++) {
      const messages = Array.from({ length: 50 }, () => outgoing(recipientFor("well")));
      await Promise.all(messages.map((message) => scene.sendForSure(message)));
    }
    const bodies = shuffled(Array.from({ length: 4 }, () => webhooksOf(scene, WORDS)).flat()).slice(0, FLOOD);
    const startedAtMs = performance.now();
    const times = await postAll(world, bodies, FLOOD_CLIENTS);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    findings.runs = times.length;
    findings.recovered(quantile(times, 1));
    findings.notes.push(
      `${(times.length / seconds).toFixed(0)} webhooks/s, p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
    );
    const kept = await keptEvents(world, scene);
    const posted = new Set(bodies.map((body) => JSON.stringify(body))).size;
    findings.expect(kept === posted, `${kept} of ${posted} events were kept`);
    await scene.tell(world.a, WORDS);
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "flood")));
  }),
};

const oneBad: Fault = {
  title: "one bad status among 1,000 in a webhook",
  isShort: true,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a, world.b]);
    const message = outgoing(recipientFor("reset"));
    await scene.sendForSure(message);
    const [call] = scene.calls();
    const nobody = Array.from({ length: 998 }, (_, i) => ({ id: `wamid.NOBODY${i}`, status: "sent" }));
    const bads = [
      { id: "wamid.\0NUL", status: "sent" },
      { id: "wamid.\ud800", status: "sent" },
      { id: "wamid.TIME", status: "read", timestamp: "-1e999" },
      { id: "wamid.ERRORS", status: "failed", errors: [{ code: 1e20, title: "\0".repeat(50) }] },
      { id: `wamid.${"x".repeat(20_000)}`, status: "sent" },
    ];
    for (const bad of bads) {
      findings.runs += 1;
      const good = {
        id: call?.whatsappMessageId ?? "",
        status: "delivered",
        timestamp: `${1_790_000_000 + findings.runs}`,
      };
      const opaque = { biz_opaque_callback_data: call?.messageId ?? "" };
      const startedAtMs = performance.now();
      await postSigned(
        world.a.baseUrl,
        statusWebhook(scene.workspace, [...nobody, bad, { ...good, ...opaque }]),
        secretOf(world),
      );
      findings.recovered(performance.now() - startedAtMs);
      const [kept] = await world.sql<{ count: number }[]>`
        select count(*)::int as count from status_events
        where workspace_id = ${scene.workspace.workspaceId} and whatsapp_message_id like 'wamid.NOBODY%'`;
      findings.expect(
        (kept?.count ?? 0) >= 998,
        `beside ${JSON.stringify(bad).slice(0, 40)} only ${kept?.count} were kept`,
      );
    }
    findings.expect((await scene.rows())[0]?.status === "DELIVERED", "the good one was not joined");
    await scene.tell(world.b);
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "one bad")));
  }),
};

export const WEBHOOK_FAULTS: Fault[] = [beforeCommit, disorderly, flood, oneBad];
