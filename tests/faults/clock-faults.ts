import { fileURLToPath } from "node:url";
import { outgoing } from "./client";
import { type Fault, once } from "./fault";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, timeUntil } from "./scene";

const OWN_CLOCK = { NODE_OPTIONS: `--require ${fileURLToPath(new URL("./shift-clock.cjs", import.meta.url))}` };
const HOUR_MS = 3_600_000;
/** The slow platform takes 2.5 s, and a second request of a key waits for 2 s. */
const MAX_ANSWER_MS = 5_000;
/** For a busy machine to come as far as a row wants it. */
const PATIENCE_MS = 12_000;

/** One server's clock runs an hour ahead, the other's an hour behind; leases are on the database's. */
const clocks: Fault = {
  title: "servers' clocks an hour ahead and an hour behind",
  isShort: false,
  run: once(async (findings, world) => {
    const start = (shiftMs: number) => world.startInstance({ changes: { ...OWN_CLOCK, FAULT_CLOCK_MS: `${shiftMs}` } });
    const [ahead, behind] = await Promise.all([start(HOUR_MS), start(-HOUR_MS)]);
    try {
      const scene = await createScene(world, [ahead, behind]);
      const raced = outgoing(recipientFor("slow"));
      await Promise.all(Array.from({ length: 40 }, (_, racer) => scene.send(racer % 2 ? ahead : behind, raced)));
      for (let run = 0; run < 6; run++) {
        const [owner, other] = run % 2 ? [ahead, behind] : [behind, ahead];
        findings.runs += 1;
        const message = scene.withPicture(outgoing(recipientFor("well")));
        owner.order({ point: "before-mark", signal: "SIGSTOP" });
        const frozen = scene.send(owner, message);
        const isFrozen = await timeUntil(() => !owner.isOrderOpen(), 5_000);
        if (isFrozen === null) throw new Error("the owner never froze");
        const startedAtMs = performance.now();
        const early = await scene.send(other, message);
        findings.recovered(performance.now() - startedAtMs);
        findings.expect(early.status === 200, `a row whose lease holds was answered ${early.status} by another clock`);
        owner.signal("SIGCONT");
        findings.expect((await frozen).status === 201, "the owner could not go on");
        findings.faults.push(...(await faultsAtEnd(scene, other, "clocks")));
      }
      const status = await fetch(`${ahead.baseUrl}/api/v1/public/messages/${scene.answers[0]?.messageId}`, {
        headers: { apiKey: scene.workspace.apiKey, apiSecret: scene.workspace.apiSecret },
      });
      const reset = Number(status.headers.get("ratelimit-reset"));
      findings.expect(reset > 0 && reset <= 900, `RateLimit-Reset is ${reset}`);
    } finally {
      await Promise.all([ahead.stop(), behind.stop()]);
    }
  }),
};

/** The clock is set while one send waits for WhatsApp, and another for what a frozen server holds. */
const jumps: Fault = {
  title: "a server's clock set an hour forth or back in mid-request",
  isShort: false,
  run: once(async (findings, world) => {
    for (const jumpMs of [HOUR_MS, -HOUR_MS]) {
      const server = await world.startInstance({ changes: { ...OWN_CLOCK, FAULT_CLOCK_JUMP_MS: `${jumpMs}` } });
      try {
        for (let run = 0; run < 3; run++) {
          findings.runs += 1;
          const scene = await createScene(world, [server, world.b]);
          const held = outgoing(recipientFor("well"));
          world.b.order({ point: "after-claim", signal: "SIGSTOP" });
          const frozen = scene.send(world.b, held);
          const isHeld = await timeUntil(async () => (await scene.rows())[0]?.phase === "DISPATCHING", PATIENCE_MS);
          if (isHeld === null) throw new Error("the other server never froze");
          const [calling, waiting] = [scene.send(server, outgoing(recipientFor("slow"))), scene.send(server, held)];
          await timeUntil(() => scene.calls().length === 1, PATIENCE_MS);
          server.signal("SIGUSR2");
          const answers = await Promise.all([calling, waiting]);
          world.b.signal("SIGCONT");
          await frozen;
          const statuses = answers.map(({ status }) => status).join();
          const slowestMs = Math.max(...answers.map(({ ms }) => ms));
          findings.recovered(slowestMs);
          findings.expect(statuses === "201,200", `${jumpMs} ms: answered ${statuses}`);
          findings.expect(slowestMs <= MAX_ANSWER_MS, `${jumpMs} ms: waited ${slowestMs.toFixed(0)} ms`);
          findings.faults.push(...(await faultsAtEnd(scene, server, `${jumpMs} ms`)));
        }
      } finally {
        await server.stop();
      }
    }
  }),
};

export const CLOCK_FAULTS: Fault[] = [clocks, jumps];
