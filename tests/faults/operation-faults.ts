import { setTimeout as sleep } from "node:timers/promises";
import { outgoing } from "./client";
import { CLOCK_FAULTS } from "./clock-faults";
import { diskFull } from "./disk-fault";
import { type Fault, once } from "./fault";
import { realLease } from "./lease-fault";
import { startLoad, strangeAnswers } from "./load";
import { migration } from "./migration-fault";
import { recipientFor } from "./platform";
import { rotation } from "./rotation-fault";
import { createScene, faultsAtEnd, timeUntil } from "./scene";

const terminated: Fault = {
  title: "SIGTERM under load, then a new process",
  isShort: false,
  run: once(async (findings, world) => {
    const instance = await world.startInstance();
    try {
      const scene = await createScene(world, [world.b, instance]);
      const load = await startLoad(scene, [world.b, instance], { senders: 8 });
      for (let run = 0; run < 4; run++) {
        findings.runs += 1;
        await sleep(600);
        const slow = Array.from({ length: 3 }, () => scene.send(instance, outgoing(recipientFor("slow"))));
        await timeUntil(
          () => scene.calls().filter(({ recipient }) => recipient.startsWith("447901")).length >= (run + 1) * 3,
          2_000,
        );
        const toldAtMs = performance.now();
        instance.signal("SIGTERM");
        const answers = await Promise.all(slow);
        findings.expect(
          answers.every(({ status }) => status === 201),
          "a send in flight was not answered",
        );
        findings.expect((await instance.exited()) === 0, "the server did not end in order");
        findings.recovered(performance.now() - toldAtMs);
        await instance.restart();
      }
      await load.stop();
      const pending = (await scene.rows()).filter(({ status }) => status !== "SENT");
      findings.expect(pending.length === 0, `${pending.length} messages are not SENT`);
      findings.faults.push(...strangeAnswers(scene, load.seen, [world.b, instance]));
      findings.faults.push(...(await faultsAtEnd(scene, world.b, "SIGTERM")));
    } finally {
      await instance.stop();
    }
  }),
};

export const OPERATION_FAULTS: Fault[] = [terminated, ...CLOCK_FAULTS, rotation, migration, diskFull, realLease];
