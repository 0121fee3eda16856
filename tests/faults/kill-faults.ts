import { type Outgoing, outgoing } from "./client";
import { type Fault, repeated } from "./fault";
import type { FaultPoint } from "./fault-orders";
import type { ClientAnswer } from "./history";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, faultsOf, type Scene, timeUntil } from "./scene";
import type { World } from "./world";

/** Where a send can die, whether WhatsApp has accepted it by then, and what the key answers when all is settled. */
type Phase = [message: "text" | "picture", point: FaultPoint | "during-call", accepts: number, settled: string];
const PHASES: Phase[] = [
  // The claim of a text is its dispatch mark; a picture is uploaded between the two.
  ["text", "after-claim", 0, "UNKNOWN"],
  ["picture", "after-claim", 0, "FAILED"],
  ["picture", "before-mark", 0, "FAILED"],
  ["picture", "after-mark", 0, "UNKNOWN"],
  ["text", "during-call", 1, "DELIVERED"],
  ["text", "after-call", 1, "DELIVERED"],
  ["text", "after-outcome", 1, "DELIVERED"],
];
const KILLS = 5;

/** The server dies at the point, or while it waits for WhatsApp, which has the message by then. */
const sendAndDie = async (
  scene: Scene,
  { a }: World,
  [kind, point]: Phase,
): Promise<[victim: Outgoing, answer: ClientAnswer]> => {
  const text = outgoing(recipientFor(point === "during-call" ? "slow" : "well"));
  const victim = kind === "picture" ? scene.withPicture(text) : text;
  if (point !== "during-call") {
    a.order({ point, signal: "SIGKILL" });
    return [victim, await scene.send(a, victim)];
  }
  const dying = scene.send(a, victim);
  await timeUntil(() => scene.calls().some(({ recipient }) => recipient === victim.recipient), 10_000);
  a.signal("SIGKILL");
  return [victim, await dying];
};

const killAt = (phase: Phase, [kind, point, accepts, settled] = phase): Fault => ({
  title: `kill -9 ${point.replace("-", " ")}${kind === "picture" ? ", with a picture" : ""}`,
  isShort: point !== "during-call",
  run: repeated(KILLS, async (findings, world) => {
    const { a, b } = world;
    const scene = await createScene(world, [b, a]);
    const others = Array.from({ length: 5 }, () => outgoing(recipientFor("well")));
    const rest = others.map((message) => scene.sendForSure(message));
    const [victim, died] = await sendAndDie(scene, world, phase);
    const killedAtMs = performance.now();
    findings.expect(died.status === 0, `a killed server answered ${died.status}`);
    const replay = await scene.send(b, victim);
    findings.recovered(performance.now() - killedAtMs);
    findings.expect(replay.status === 200, `the other server answered ${replay.status} to the same key`);
    await Promise.all([a.restart(), ...rest]);
    await scene.expireLeases();
    await scene.sweep(b);
    findings.faults.push(...(await faultsOf(scene, `${point}, swept`, { isSwept: true })));
    await scene.tell(b);
    const row = (await scene.rows()).find(({ recipient }) => recipient === victim.recipient);
    findings.expect(row?.status === settled, `${point}: the row is ${row?.status}, not ${settled}`);
    findings.expect(
      scene.calls().filter(({ recipient }) => recipient === victim.recipient).length === accepts,
      `${point}: WhatsApp received another number of calls than ${accepts}`,
    );
    // Definitely not sent is sent by the same key; everything else is only returned again.
    const last = await scene.send(a, victim);
    findings.expect(last.status === (settled === "FAILED" ? 201 : 200), `${point}: the key answered ${last.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, a, point)));
  }),
});

const killInWebhook = (point: FaultPoint, status: string): Fault => ({
  title: `kill -9 in a webhook, ${point.slice("webhook-".length).replace("-", " ")}`,
  isShort: true,
  run: repeated(KILLS, async (findings, world) => {
    const { a, b } = world;
    const scene = await createScene(world, [b]);
    const message = outgoing(recipientFor("well"));
    await scene.sendForSure(message);
    a.order({ point, signal: "SIGKILL" });
    const telling = scene.tell(a);
    await a.exited();
    const killedAtMs = performance.now();
    const [row] = await scene.rows();
    findings.expect(row?.status === status, `${point}: the row is ${row?.status}, not ${status}`);
    await Promise.all([a.restart(), telling]);
    findings.recovered(performance.now() - killedAtMs);
    const [settled] = await scene.rows();
    findings.expect(settled?.status === "DELIVERED", `${point}: repeated, the row is ${settled?.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, a, point)));
  }),
});

const PAUSES = 6;

/** The owner freezes before its mark, another server goes on with the row, and the owner wakes up. */
const pausedOwner: Fault = {
  title: "owner paused past its lease, before its mark",
  isShort: true,
  run: repeated(PAUSES, async (findings, world, run) => {
    const { a, b } = world;
    const scene = await createScene(world, [b]);
    const message = scene.withPicture(outgoing(recipientFor("well")));
    a.order({ point: run % 2 ? "after-claim" : "before-mark", signal: "SIGSTOP" });
    const frozen = scene.send(a, message);
    const isFrozen = await timeUntil(() => !a.isOrderOpen(), 5_000);
    findings.expect(isFrozen !== null, "the owner never froze");
    await timeUntil(async () => (await scene.rows()).length === 1, 2_000);
    await scene.expireLeases();
    const taken = await scene.send(b, message);
    findings.expect(taken.status === 201, `the other server answered ${taken.status}`);
    const wokenAtMs = performance.now();
    a.signal("SIGCONT");
    const late = await frozen;
    findings.recovered(performance.now() - wokenAtMs);
    findings.expect(
      late.status === 200 && late.messageId === taken.messageId,
      `the owner that woke up answered ${late.status}, not the row of the other`,
    );
    findings.faults.push(...(await faultsAtEnd(scene, b, "paused owner")));
  }),
};

/** The owner freezes after its mark: no other process may send, and its webhook settles what the sweeper calls unknown. */
const pausedDispatcher: Fault = {
  title: "owner paused past its lease, after its mark",
  isShort: false,
  run: repeated(PAUSES, async (findings, world, run) => {
    const { a, b } = world;
    const point = (["after-claim", "after-call", "after-mark"] as const)[run % 3] ?? "after-claim";
    const scene = await createScene(world, [b]);
    const text = outgoing(recipientFor("well"));
    const message = point === "after-mark" ? scene.withPicture(text) : text;
    a.order({ point, signal: "SIGSTOP" });
    const frozen = scene.send(a, message);
    await timeUntil(async () => !a.isOrderOpen() && (await scene.rows())[0]?.phase === "DISPATCHING", 5_000);
    await scene.expireLeases();
    await scene.sweep(b);
    const other = await scene.send(b, message);
    findings.expect(other.status === 200, `${point}: the other server answered ${other.status}`);
    findings.faults.push(...(await faultsOf(scene, `${point}, swept`, { isSwept: true })));
    const wokenAtMs = performance.now();
    a.signal("SIGCONT");
    const late = await frozen;
    findings.recovered(performance.now() - wokenAtMs);
    findings.expect(late.status === 201, `${point}: the owner that woke up answered ${late.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, b, point)));
  }),
};

export const KILL_FAULTS: Fault[] = [
  ...PHASES.map((phase) => killAt(phase)),
  killInWebhook("webhook-before-commit", "SENT"),
  killInWebhook("webhook-after-commit", "DELIVERED"),
  pausedOwner,
  pausedDispatcher,
];
