import { outgoing } from "./client";
import { type Fault, once, repeated } from "./fault";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd } from "./scene";

const RACERS = 200;

const racers = (title: string, textOf: (racer: number) => string, conflicts: boolean): Fault => ({
  title,
  isShort: true,
  run: repeated(5, async (findings, world) => {
    const scene = await createScene(world, [world.a, world.b]);
    const { recipient, key } = outgoing(recipientFor("slow"));
    const startedAtMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: RACERS }, (_, racer) =>
        scene.send(racer % 2 ? world.a : world.b, { recipient, key, text: textOf(racer) }),
      ),
    );
    findings.recovered(performance.now() - startedAtMs);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    findings.expect(count(201) === 1, `${count(201)} racers got a 201`);
    // A racer that found the pool full got a 503, and nothing was bound for it.
    findings.expect(count(200) + count(409) + count(503) === RACERS - 1, "a racer got another answer");
    findings.expect(count(409) > 0 === conflicts, `${count(409)} racers were refused for another body`);
    findings.expect((await scene.rows()).length === 1, "there is more than one row");
    findings.faults.push(...(await faultsAtEnd(scene, world.a, title)));
  }),
});

/** Forty keys at once, each from both servers, with clients that give up early and ask again. */
const manyKeys: Fault = {
  title: "40 keys, each sent twice at once from both servers",
  isShort: false,
  run: once(async (findings, world) => {
    const scene = await createScene(world, [world.a, world.b]);
    const messages = Array.from({ length: 40 }, () => outgoing(recipientFor("well")));
    const startedAtMs = performance.now();
    await Promise.all(
      messages.flatMap((message) => [
        scene.sendForSure(message, [world.a, world.b]),
        scene.sendForSure(message, [world.b, world.a]),
      ]),
    );
    findings.recovered(performance.now() - startedAtMs);
    findings.runs = messages.length;
    findings.expect((await scene.rows()).length === messages.length, "not one row a key");
    findings.faults.push(...(await faultsAtEnd(scene, world.b, "many keys")));
  }),
};

export const RACE_FAULTS: Fault[] = [
  racers("200 racers on one key, one body, two servers", () => "Hello", false),
  racers("200 racers on one key, two bodies, two servers", (racer) => (racer % 3 ? "Hello" : "Goodbye"), true),
  manyKeys,
];
