import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ENCRYPTION_ROTATE, runProgram } from "../support/programs";
import { statusWebhook } from "../support/workspace";
import { type Fault, type Findings, once } from "./fault";
import { startLoad, strangeAnswers } from "./load";
import { createScene, faultsAtEnd, type Scene, signedStatusOf } from "./scene";
import type { Instance, World } from "./world";

const ROTATED = ["WHATSAPP_APP_SECRET", "KEY_PEPPER", "ENCRYPTION_KEY"];
const BETWEEN_MS = 1_000;

/**
 * As docs/decisions/0008 says, always one server after the other: each learns the new secrets, then uses them, and when the
 * tokens are encrypted again and WhatsApp signs with the new secret, each forgets the old ones.
 */
export const rotation: Fault = {
  title: "app secret, pepper and encryption key rotated under load",
  isShort: false,
  run: once(async (findings, world) => {
    const { environment } = world;
    const instances = await Promise.all([world.startInstance(), world.startInstance()]);
    try {
      const scene = await createScene(world, instances);
      const load = await startLoad(scene, instances, { senders: 4 });
      const fresh = Object.fromEntries(ROTATED.map((name) => [name, randomBytes(32).toString("base64url")]));
      const [oldSecret = "", newSecret = ""] = [environment.WHATSAPP_APP_SECRET, fresh.WHATSAPP_APP_SECRET];

      findings.recovered(await restartEach(instances, beside(fresh)));
      findings.recovered(await restartEach(instances, { ...fresh, ...beside(environment) }));
      await expectSignatures(findings, scene, instances, { [oldSecret]: 200, [newSecret]: 200 });
      await sealAnew(findings, world, { ...fresh, ...beside(environment) });
      scene.signWith(newSecret);
      findings.recovered(await restartEach(instances, fresh));
      await expectSignatures(findings, scene, instances, { [oldSecret]: 401, [newSecret]: 200 });
      await load.stop();
      findings.runs = ROTATED.length;

      findings.faults.push(...strangeAnswers(scene, load.seen, instances));
      findings.faults.push(...(await faultsAtEnd(scene, instances[0], "rotation")));
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
    }
  }),
};

/** One after the other, each while the other serves; answers with the longest time that one was away. */
const restartEach = async (instances: Instance[], changes: Record<string, string>): Promise<number> => {
  let longestMs = 0;
  for (const instance of instances) {
    await sleep(BETWEEN_MS);
    const startedAtMs = performance.now();
    instance.signal("SIGTERM");
    await instance.restart({ changes });
    longestMs = Math.max(longestMs, performance.now() - startedAtMs);
  }
  await sleep(BETWEEN_MS);
  return longestMs;
};

/** The values that are accepted beside those in use. */
const beside = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(ROTATED.map((name) => [`${name}_PREVIOUS`, values[name] ?? ""]));

const sealAnew = async (findings: Findings, { environment }: World, changes: Record<string, string>) => {
  const { exitCode, stdout, stderr } = await runProgram(ENCRYPTION_ROTATE, {
    PATH: process.env.PATH,
    ...environment,
    ...changes,
  });
  findings.expect(exitCode === 0, `encryption:rotate ended with ${exitCode}: ${stderr}`);
  findings.notes.push(`encryption:rotate under load: ${JSON.stringify(JSON.parse(stdout || "{}"))}`);
};

const expectSignatures = async (
  findings: Findings,
  scene: Scene,
  instances: Instance[],
  expected: Record<string, number>,
) => {
  for (const [secret, status] of Object.entries(expected)) {
    for (const { baseUrl } of instances) {
      const answered = await signedStatusOf(baseUrl, statusWebhook(scene.workspace, []), secret);
      findings.expect(answered === status, `a signature was answered ${answered}, not ${status}`);
    }
  }
};
