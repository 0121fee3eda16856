import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { statusWebhook } from "../support/workspace";
import { outgoing } from "./client";
import { type Fault, Findings } from "./fault";
import { startLoad } from "./load";
import { recipientFor } from "./platform";
import { createScene, faultsOf, postSigned, type Scene, timeUntil } from "./scene";
import type { Instance } from "./world";

const CLOCK = fileURLToPath(new URL("./shift-clock.cjs", import.meta.url));
const HOUR_MS = 3_600_000;
/** A process that ends takes no connections, and one that starts answers 503. */
const AROUND_A_RESTART = [0, 200, 201, 503];

const terminated: Fault = {
  title: "SIGTERM under load, then a new process",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
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
      await scene.tell(world.b);
      findings.faults.push(...(await faultsOf(scene, "SIGTERM")));
    } finally {
      await instance.stop();
    }
    return findings;
  },
};

/** One server's clock runs an hour ahead, the other's an hour behind; leases are on the database's. */
const clocks: Fault = {
  title: "servers' clocks an hour ahead and an hour behind",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    const start = (shiftMs: number) =>
      world.startInstance({ changes: { NODE_OPTIONS: `--require ${CLOCK}`, FAULT_CLOCK_MS: `${shiftMs}` } });
    const [ahead, behind] = await Promise.all([start(HOUR_MS), start(-HOUR_MS)]);
    try {
      const scene = await createScene(world, [ahead, behind]);
      const raced = outgoing(recipientFor("slow"));
      await Promise.all(Array.from({ length: 40 }, (_, racer) => scene.send(racer % 2 ? ahead : behind, raced)));
      for (const [owner, other] of [
        [behind, ahead],
        [ahead, behind],
      ] as const) {
        findings.runs += 1;
        const message = outgoing(recipientFor("well"));
        owner.order({ point: "before-mark", signal: "SIGSTOP" });
        const frozen = scene.send(owner, message);
        await timeUntil(() => !owner.isOrderOpen(), 5_000);
        const startedAtMs = performance.now();
        const early = await scene.send(other, message);
        findings.recovered(performance.now() - startedAtMs);
        findings.expect(early.status === 200, `a row whose lease holds was answered ${early.status} by another clock`);
        owner.signal("SIGCONT");
        findings.expect((await frozen).status === 201, "the owner could not go on");
        await scene.tell(other);
        findings.faults.push(...(await faultsOf(scene, "clocks")));
      }
      const status = await fetch(`${ahead.baseUrl}/api/v1/public/messages/${scene.answers[0]?.messageId}`, {
        headers: { apiKey: scene.workspace.apiKey, apiSecret: scene.workspace.apiSecret },
      });
      const reset = Number(status.headers.get("ratelimit-reset"));
      findings.expect(reset > 0 && reset <= 900, `RateLimit-Reset is ${reset}`);
    } finally {
      await Promise.all([ahead.stop(), behind.stop()]);
    }
    return findings;
  },
};

const secret = () => randomBytes(32).toString("base64url");

/** One server after the other gets new secrets, and the old ones as previous, while everybody goes on. */
const rotation: Fault = {
  title: "app secret, pepper and encryption key rotated under load",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    const { environment } = world;
    const instances = await Promise.all([world.startInstance(), world.startInstance()]);
    try {
      const scene = await createScene(world, instances);
      const load = await startLoad(scene, instances, { senders: 4 });
      const names = ["WHATSAPP_APP_SECRET", "KEY_PEPPER", "ENCRYPTION_KEY"];
      const changes = Object.fromEntries(
        names.flatMap((name) => [
          [name, secret()],
          [`${name}_PREVIOUS`, environment[name] ?? ""],
        ]),
      );
      for (const instance of instances) {
        findings.runs += names.length;
        await sleep(500);
        const startedAtMs = performance.now();
        instance.signal("SIGTERM");
        await instance.restart(changes);
        findings.recovered(performance.now() - startedAtMs);
      }
      await sleep(500);
      await load.stop();
      await checkSignatures(scene, instances[0], [environment.WHATSAPP_APP_SECRET, changes.WHATSAPP_APP_SECRET]);
      const bad = scene.answers.filter(({ status }) => !AROUND_A_RESTART.includes(status)).map(({ status }) => status);
      findings.expect(bad.length === 0, `sends were answered ${[...new Set(bad)].join(", ")}`);
      findings.expect(
        load.seen.every(({ status }) => AROUND_A_RESTART.includes(status)),
        "a status was not answered",
      );
      await scene.tell(instances[1]);
      findings.faults.push(...(await faultsOf(scene, "rotation")));
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
    }
    return findings;
  },
};

/** Throws where one of the secrets is not taken. */
const checkSignatures = async (scene: Scene, { baseUrl }: Instance, secrets: (string | undefined)[]) => {
  for (const known of secrets) await postSigned(baseUrl, statusWebhook(scene.workspace, []), known ?? "");
};

/** The schema of a later release arrives under the running one, which is then started again on it. */
const migration: Fault = {
  title: "a later release's migration under load, old servers run on",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    const instance = await world.startInstance();
    try {
      const scene = await createScene(world, [world.b, instance]);
      const load = await startLoad(scene, [world.b, instance]);
      await sleep(1_000);
      const startedAtMs = performance.now();
      const steps = [
        "alter table messages add column later_note text, add column later_count int not null default 0",
        "create index concurrently later_index on messages (workspace_id, later_count)",
        "alter table workspaces add column later_flag boolean not null default false",
        "alter table phone_numbers add column later_word text",
        "alter type message_status add value if not exists 'LATER' before 'SENT'",
        "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)",
      ];
      for (const step of steps) {
        await world.sql.unsafe(step);
        findings.runs += 1;
        await sleep(300);
      }
      findings.recovered(performance.now() - startedAtMs);
      instance.signal("SIGTERM");
      await instance.restart();
      await sleep(1_000);
      await load.stop();
      const bad = scene.answers.filter(({ status }) => !AROUND_A_RESTART.includes(status)).map(({ status }) => status);
      findings.expect(bad.length === 0, `sends were answered ${[...new Set(bad)].join(", ")}`);
      findings.expect(
        load.seen.every(({ status }) => AROUND_A_RESTART.includes(status)),
        "a request was not answered",
      );
      await scene.tell(world.b);
      findings.faults.push(...(await faultsOf(scene, "migration")));
    } finally {
      await instance.stop();
    }
    return findings;
  },
};

const SMALL_DISK_MB = 24;

/** The messages' table on a file system that is full. Needs the right to mount one. */
const diskFull: Fault = {
  title: "Postgres' disk full under load",
  isShort: false,
  run: async (world) => {
    const findings = new Findings();
    const disk = mkdtempSync(path.join(os.tmpdir(), "switchboard-disk-"));
    const [row] = await world.sql<{ directory: string }[]>`select current_setting('data_directory') as directory`;
    const { uid, gid } = statSync(row?.directory ?? "/");
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SMALL_DISK_MB}m,mode=0755`, "tmpfs", disk], {
        stdio: "pipe",
      });
    } catch {
      findings.notes.push("not produced: this account may not mount a small file system");
      rmSync(disk, { recursive: true, force: true });
      return findings;
    }
    const space = path.join(disk, "space");
    mkdirSync(space);
    execFileSync("chown", [`${uid}:${gid}`, space]);
    try {
      await world.sql.unsafe(`create tablespace small location '${space}'`);
      await world.sql.unsafe("alter table messages set tablespace small");
      const scene = await createScene(world, [world.a, world.b]);
      const load = await startLoad(scene, [world.a, world.b], { senders: 8 });
      await sleep(500);
      fill(path.join(disk, "filler"));
      const isFull = await timeUntil(() => scene.answers.some(({ status }) => status === 503), 20_000);
      findings.runs = 1;
      findings.expect(isFull !== null, "the disk never was full");
      await sleep(1_500);
      const refused = scene.answers.filter(({ status }) => status === 503).length;
      rmSync(path.join(disk, "filler"));
      const freeAtMs = Date.now();
      await timeUntil(() => load.firstSendAfter(freeAtMs) !== null, 6_000);
      findings.recovered(load.firstSendAfter(freeAtMs) ?? 6_000);
      await load.stop();
      findings.notes.push(`${refused} sends were answered 503 while it was full`);
      const odd = scene.answers
        .filter(({ status }) => ![200, 201, 502, 503].includes(status))
        .map(({ status }) => status);
      findings.expect(odd.length === 0, `sends were answered ${[...new Set(odd)].join(", ")}`);
      await scene.expireLeases();
      await scene.sweep(world.a);
      await scene.tell(world.a);
      findings.faults.push(...(await faultsOf(scene, "disk full")));
    } finally {
      if (existsSync(path.join(disk, "filler"))) rmSync(path.join(disk, "filler"));
      await world.sql.unsafe("alter table messages set tablespace pg_default");
      await world.sql.unsafe("drop tablespace small");
      execFileSync("umount", [disk]);
      rmSync(disk, { recursive: true, force: true });
    }
    return findings;
  },
};

const fill = (file: string) => {
  const block = Buffer.alloc(64 * 1_024);
  try {
    for (;;) writeFileSync(file, block, { flag: "a" });
  } catch {
    // Full, as wanted.
  }
};

export const OPERATION_FAULTS: Fault[] = [terminated, clocks, rotation, migration, diskFull];
