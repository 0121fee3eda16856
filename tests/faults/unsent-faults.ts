import { outgoing } from "./client";
import { type Fault, once, repeated } from "./fault";
import type { FaultPoint } from "./fault-orders";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, timeUntil } from "./scene";

/** Every place between the claim and the first byte where code of ours can fail. */
const PLACES: [message: "text" | "picture", point: FaultPoint][] = [
  ["text", "after-claim"],
  ["picture", "after-claim"],
  ["picture", "before-mark"],
  ["picture", "after-mark"],
];
const RUNS = 5;
/** The first attempts after the answer come 1, 2, 4, 8 and 15 s apart. */
const SETTLED_LATE_MS = 20_000;

const throwAt = ([kind, point]: (typeof PLACES)[number]): Fault => ({
  title: `our own code throws ${point.replace("-", " ")}${kind === "picture" ? ", with a picture" : ""}`,
  isShort: true,
  run: repeated(RUNS, async (findings, world) => {
    const { a, b } = world;
    const scene = await createScene(world, [a, b]);
    const text = outgoing(recipientFor("well"));
    const message = kind === "picture" ? scene.withPicture(text) : text;
    a.order({ point, throws: "a fault" });
    const first = await scene.send(a, message);
    findings.expect(first.status === 500, `${point}: answered ${first.status}`);
    findings.expect(first.outcome === "not_sent", `${point}: the outcome is ${first.outcome}`);
    findings.expect(scene.calls().length === 0, `${point}: WhatsApp received ${scene.calls().length} calls`);
    const [row] = await scene.rows();
    findings.expect(row?.phase === "REFUSED_RETRYABLE", `${point}: the row is ${row?.phase}`);
    const again = await scene.send(b, message);
    findings.expect(again.status === 201, `${point}: the same key answered ${again.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, b, point)));
  }),
});

/** Nothing left, and the database is lost before that can be written; the sweeper even calls the row unknown. */
const outcomeLost: Fault = {
  title: "nothing left, and the database is lost before the outcome is written",
  isShort: true,
  run: once(async (findings, world) => {
    const { a, b } = world;
    findings.runs = 1;
    const scene = await createScene(world, [a, b]);
    const message = outgoing(recipientFor("well"));
    await a.platform.refuse();
    a.order({ point: "after-call", signal: "SIGSTOP" });
    const sending = scene.send(a, message);
    const isFrozen = await timeUntil(
      async () => (await scene.rows())[0]?.phase === "DISPATCHING" && !a.isOrderOpen(),
      5_000,
    );
    findings.expect(isFrozen !== null, "the owner never froze");
    await a.database.refuse();
    a.signal("SIGCONT");
    const answer = await sending;
    findings.expect(
      answer.status === 502 && answer.outcome === "not_sent",
      `answered ${answer.status} ${answer.outcome}`,
    );
    await scene.expireLeases();
    await scene.sweep(b);
    const healedAtMs = performance.now();
    await Promise.all([a.database.heal(), a.platform.heal()]);
    const isSettled = await timeUntil(
      async () => (await scene.rows())[0]?.phase === "REFUSED_RETRYABLE",
      SETTLED_LATE_MS,
    );
    findings.expect(isSettled !== null, `the row stayed ${(await scene.rows())[0]?.phase}`);
    findings.recovered(performance.now() - healedAtMs);
    findings.expect(scene.calls().length === 0, `WhatsApp received ${scene.calls().length} calls`);
    const again = await scene.send(b, message);
    findings.expect(again.status === 201, `the same key answered ${again.status}`);
    findings.faults.push(...(await faultsAtEnd(scene, b, "outcome lost")));
  }),
};

export const UNSENT_FAULTS: Fault[] = [...PLACES.map(throwAt), outcomeLost];
