import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { migrateDatabase } from "@/db/migrate";
import { OLD_SCHEMA } from "@/db/migrations-state";
import { buildVariant, type Patch } from "./builds";
import { outgoing } from "./client";
import { type Fault, type Findings, once } from "./fault";
import { startLoad, strangeAnswers } from "./load";
import { recipientFor } from "./platform";
import { createScene, faultsAtEnd, type Scene, timeUntil } from "./scene";
import type { Instance, World } from "./world";

const JOURNAL = "db/migrations/meta/_journal.json";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A later release: a migration that adds a column and an index, and code that writes and reads the column. Its claim
 * fails on today's schema, and today's release knows nothing of it.
 */
export const laterRelease = (): Patch[] => {
  const journal = JSON.parse(readFileSync(path.join(ROOT, JOURNAL), "utf8"));
  const idx = journal.entries.length;
  const when = Math.max(...journal.entries.map((entry: { when: number }) => entry.when)) + 1;
  const tag = `${String(idx).padStart(4, "0")}_later`;
  journal.entries.push({ idx, version: "7", when, tag, breakpoints: true });
  return [
    { file: JOURNAL, text: JSON.stringify(journal) },
    {
      file: `db/migrations/${tag}.sql`,
      text: [
        `ALTER TABLE "messages" ADD COLUMN "later_word" text;--> statement-breakpoint`,
        `ALTER TABLE "messages" ADD COLUMN "later_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint`,
        `CREATE INDEX "messages_later" ON "messages" USING btree ("workspace_id","later_count");`,
      ].join("\n"),
    },
    { file: "db/schema/messages.ts", from: "    request: text(),", to: "    request: text(),\n    laterWord: text()," },
    {
      file: "lib/messages/send/claim-message.ts",
      from: "    request: JSON.stringify(input.request),",
      to: '    later_word: "later",\n    request: JSON.stringify(input.request),',
    },
  ];
};

/** The way of a release: migrate under the old servers, change one of them, run both, and go back. */
export const migration: Fault = {
  title: "a later release's migration under load, both versions run",
  isShort: false,
  run: once(async (findings, world) => {
    const directory = await buildVariant("later-release", laterRelease());
    const instance = await world.startInstance();
    const instances = [world.b, instance];
    try {
      const isRefused = await world.startInstance({ directory }).then(
        () => false,
        (error: unknown) => String(error).includes(OLD_SCHEMA),
      );
      findings.expect(isRefused, "the later release started on a schema that it does not know");
      const scene = await createScene(world, instances);
      const load = await startLoad(scene, instances);
      await sleep(1_000);
      const { migrateDatabase: migrate }: { migrateDatabase: typeof migrateDatabase } = await import(
        pathToFileURL(path.join(directory, "db/migrate.ts")).href
      );
      const startedAtMs = performance.now();
      await migrate(world.environment.DATABASE_URL ?? "");
      findings.recovered(performance.now() - startedAtMs);
      await sleep(1_000);
      await changeTo(instance, directory);
      await sleep(3_000);
      await changeTo(instance, undefined);
      await sleep(1_000);
      await load.stop();
      findings.runs = 3;
      findings.faults.push(...strangeAnswers(scene, load.seen, instances));

      await changeTo(instance, directory);
      for (const [owner, other] of [
        [world.b, instance],
        [instance, world.b],
      ] as const) {
        findings.runs += 1;
        await passOver(findings, scene, owner, other);
      }
      findings.notes.push(await whoWrote(findings, world, scene.workspace.workspaceId));
      findings.faults.push(...(await faultsAtEnd(scene, instance, "migration")));
    } finally {
      await instance.stop();
    }
  }),
};

const changeTo = async (instance: Instance, directory: string | undefined) => {
  instance.signal("SIGTERM");
  await instance.restart(directory === undefined ? {} : { directory });
};

/** An owner of one version freezes with its claim, a server of the other takes the row over, and the owner wakes up. */
const passOver = async (findings: Findings, scene: Scene, owner: Instance, other: Instance) => {
  const message = scene.withPicture(outgoing(recipientFor("well")));
  owner.order({ point: "before-mark", signal: "SIGSTOP" });
  const frozen = scene.send(owner, message);
  const isFrozen = await timeUntil(() => !owner.isOrderOpen(), 5_000);
  if (isFrozen === null) throw new Error("the owner never froze");
  await scene.expireLeases();
  const taken = await scene.send(other, message);
  findings.expect(taken.status === 201, `the other version answered ${taken.status}`);
  owner.signal("SIGCONT");
  const late = await frozen;
  findings.expect(late.status === 200, `the owner that woke up answered ${late.status}`);
};

const whoWrote = async (findings: Findings, { sql }: World, workspaceId: string): Promise<string> => {
  const [wrote] = await sql<{ old: number; later: number }[]>`
    select count(*) filter (where later_word is null)::int as old, count(later_word)::int as later
    from messages where workspace_id = ${workspaceId}`;
  findings.expect((wrote?.old ?? 0) > 0 && (wrote?.later ?? 0) > 0, "one of the versions sent nothing");
  return `${wrote?.old} messages of the old version, ${wrote?.later} of the later one`;
};
