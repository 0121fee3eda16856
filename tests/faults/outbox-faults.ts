import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addEndpoint, startReceiver } from "../support/receiver";
import { outgoing } from "./client";
import { type Fault, repeated } from "./fault";
import type { FaultPoint } from "./fault-orders";
import { checkOutbox, type Received } from "./outbox-history";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, timeUntil } from "./scene";
import type { World } from "./world";

const MESSAGES = 12;
const RUNS = 5;
const EMPTY_WITHIN_MS = 40_000;
const REACHED_WITHIN_MS = 15_000;
const LOOKED_WITHIN_MS = 2_500;

/** How a partner's server answers an event; null breaks the connection. */
type Answering = () => { status: number; headers?: Record<string, string> } | null;

const WELL: Answering = () => ({ status: 200 });

/** Every second one fails, each in another way. */
const badly = (): Answering => {
  let count = 0;
  const ways: ReturnType<Answering>[] = [{ status: 500 }, null, { status: 429, headers: { "Retry-After": "1" } }];
  return () => {
    count += 1;
    return count % 2 === 0 ? { status: 204 } : (ways[Math.floor(count / 2) % ways.length] ?? null);
  };
};

/** A partner's server that remembers what it took, and what not. The port is every run's, the path one run's own. */
const startPartner = async ({ partnerPort }: World, answering: Answering) => {
  const received: Received[] = [];
  const path = `/${randomUUID()}`;
  const receiver = await startReceiver(({ id, event, path: to }, response) => {
    if (to !== path) return response.writeHead(410).end();
    const answer = answering();
    const isTaken = answer !== null && answer.status < 300;
    received.push({ id, messageId: event.data.id, sequence: event.sequence, type: event.type, isTaken });
    if (answer) response.writeHead(answer.status, answer.headers).end();
    else response.destroy();
  }, partnerPort);
  return { url: new URL(path, receiver.url).href, received, stop: receiver.stop };
};

/** As if every pause were over, and every lease of a process that is gone. */
const hurry = ({ sql }: World, workspaceId: string) =>
  sql.begin(async (tx) => {
    await tx`
      update webhook_deliveries set next_attempt_at = now(), leased_until = leased_until - interval '1 hour'
      where workspace_id = ${workspaceId} and state = 'PENDING' and next_attempt_at > now()`;
    await tx`update webhook_endpoints set held_until = null where workspace_id = ${workspaceId}`;
  });

const historyOf = async ({ sql }: World, workspaceId: string, received: readonly Received[]) => {
  const messages = await sql<{ id: string; eventCount: number; statuses: string[] }[]>`
    select m.id, m.event_count as "eventCount",
      (select json_agg(c.status order by c.serial) from observed_changes c
        where c.workspace_id = m.workspace_id and c.id = m.id) as statuses
    from messages m where m.workspace_id = ${workspaceId}`;
  const stored = await sql<{ id: string }[]>`select id from webhook_deliveries where workspace_id = ${workspaceId}`;
  return { messages: [...messages], stored: stored.map(({ id }) => id), received: [...received] };
};

/** Messages are sent and reported on over both servers while something happens; in the end each event was taken, in order. */
const whileDelivering = (
  title: string,
  disturb: (world: World) => Promise<unknown>,
  answering: () => Answering = () => WELL,
): Fault => ({
  title: `events to partners: ${title}`,
  isShort: true,
  run: repeated(RUNS, async (findings, world) => {
    const { a, b, sql } = world;
    const partner = await startPartner(world, answering());
    const scene = await createScene(world, [a, b]);
    const { workspaceId } = scene.workspace;
    await addEndpoint(scene.workspace, { url: partner.url, mode: "live" });
    // Servers that know of no endpoint look for events rarely.
    await sleep(LOOKED_WITHIN_MS);
    const sending = Array.from({ length: MESSAGES }, () => scene.sendForSure(outgoing(recipientFor("well"))));
    const disturbed = sleep(100).then(() => disturb(world));
    await Promise.all(sending);
    // Who writes an event looks at once, so that the server that is disturbed has its part in the deliveries.
    for (const words of [["sent"], ["delivered"], ["read"]]) await scene.tell(a, words);
    await disturbed;
    const disturbedAtMs = performance.now();
    const isEmpty = async () => {
      await hurry(world, workspaceId);
      await sleep(200);
      const [left] = await sql`
        select from webhook_deliveries where workspace_id = ${workspaceId} and state = 'PENDING' limit 1`;
      return !left;
    };
    findings.expect((await timeUntil(isEmpty, EMPTY_WITHIN_MS)) !== null, "the outbox was not emptied");
    findings.recovered(performance.now() - disturbedAtMs);
    const accepted = scene.calls().filter(({ isAccepted }) => isAccepted).length;
    // A send that was cut becomes UNKNOWN here, or is sent now: those events are judged with the others.
    findings.faults.push(...(await faultsAtEnd(scene, b, title)));
    findings.expect((await timeUntil(isEmpty, EMPTY_WITHIN_MS)) !== null, "the outbox was not emptied at the end");
    const history = await historyOf(world, workspaceId, partner.received);
    findings.faults.push(...checkOutbox(history).map(({ fault, what }) => `${fault}: ${what}`));
    findings.expect(
      accepted > 0 && history.stored.length >= 3 * accepted,
      `only ${history.stored.length} events were stored`,
    );
    findings.notes.push(`${history.stored.length} events, ${history.received.length} attempts`);
    await partner.stop();
  }),
});

const killAt =
  (point: FaultPoint) =>
  async ({ a }: World) => {
    a.order({ point, signal: "SIGKILL" });
    const hasReached = await timeUntil(() => !a.isOrderOpen(), REACHED_WITHIN_MS);
    if (hasReached === null) throw new Error(`no delivery reached ${point}`);
    await a.exited();
    await a.restart();
  };

/** Longer than a lease that was cut short by `hurry`. */
const FROZEN_MS = 1_500;

export const OUTBOX_FAULTS: Fault[] = [
  whileDelivering("kill -9 after a claim", killAt("delivery-after-claim")),
  whileDelivering("kill -9 after the answer", killAt("delivery-after-answer")),
  whileDelivering("kill -9 after the outcome", killAt("delivery-after-settle")),
  whileDelivering("an endpoint that fails every second time", async () => undefined, badly),
  whileDelivering("a restart of the database", async ({ crashDatabase, startDatabase }) => {
    await crashDatabase();
    await startDatabase();
  }),
  whileDelivering("a server that is frozen past its leases", async ({ a }) => {
    a.order({ point: "delivery-after-claim", signal: "SIGSTOP" });
    await timeUntil(() => !a.isOrderOpen(), 5_000);
    await sleep(FROZEN_MS);
    a.signal("SIGCONT");
  }),
];
