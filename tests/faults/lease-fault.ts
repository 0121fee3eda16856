import { outgoing } from "./client";
import { type Fault, once } from "./fault";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, faultsOf, timeUntil } from "./scene";

const MAX_PENDING_MS = 120_000;

/** No clock is turned: the lease and the sweeper take the time that they take. */
export const realLease: Fault = {
  title: "left to the sweeper, with the real lease",
  isShort: false,
  run: once(async (findings, world) => {
    const victim = await world.startInstance();
    try {
      const scene = await createScene(world, [world.b]);
      for (const point of ["after-claim", "before-mark", "after-mark", "after-call"] as const) {
        findings.runs += 1;
        victim.order({ point, signal: "SIGKILL" });
        const text = outgoing(recipientFor("well"));
        await scene.send(victim, point.endsWith("-mark") ? scene.withPicture(text) : text);
        await victim.restart();
      }
      const isSettled = async () => (await scene.rows()).every(({ status }) => status !== "PENDING");
      const settledMs = await timeUntil(isSettled, MAX_PENDING_MS);
      findings.recovered(settledMs ?? MAX_PENDING_MS);
      findings.expect(settledMs !== null, "a row was PENDING for longer than 120 s");
      findings.faults.push(...(await faultsOf(scene, "left to the sweeper", { isSwept: true })));
      findings.faults.push(...(await faultsAtEnd(scene, world.b, "reported")));
    } finally {
      await victim.stop();
    }
  }),
};
