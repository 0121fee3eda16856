import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, once } from "./fault";
import { startLoad } from "./load";
import { createScene, faultsAtEnd, timeUntil } from "./scene";

const SMALL_DISK_MB = 24;

/** The messages' table on a file system that is full. Needs the right to mount one. */
export const diskFull: Fault = {
  title: "Postgres' disk full under load",
  isShort: false,
  run: once(async (findings, world) => {
    const disk = mkdtempSync(path.join(os.tmpdir(), "switchboard-disk-"));
    const [row] = await world.sql<{ directory: string }[]>`select current_setting('data_directory') as directory`;
    const { uid, gid } = statSync(row?.directory ?? "/");
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SMALL_DISK_MB}m,mode=0755`, "tmpfs", disk], {
        stdio: "pipe",
      });
    } catch {
      findings.notes.push("this account may not mount a small file system");
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
      const refusals = () => scene.answers.filter(({ status }) => status === 503).length;
      for (let run = 0; run < 3; run++) {
        await sleep(500);
        const before = refusals();
        fill(path.join(disk, "filler"));
        const isFull = await timeUntil(() => refusals() > before, 20_000);
        findings.runs += 1;
        findings.expect(isFull !== null, "the disk never was full");
        await sleep(1_000);
        rmSync(path.join(disk, "filler"));
        const freeAtMs = Date.now();
        await timeUntil(() => load.firstSendAfter(freeAtMs) !== null, 6_000);
        findings.recovered(load.firstSendAfter(freeAtMs) ?? 6_000);
      }
      const refused = refusals();
      await load.stop();
      findings.notes.push(`${refused} sends were answered 503 while it was full`);
      const odd = scene.answers
        .filter(({ status }) => ![200, 201, 502, 503].includes(status))
        .map(({ status }) => status);
      findings.expect(odd.length === 0, `sends were answered ${[...new Set(odd)].join(", ")}`);
      findings.faults.push(...(await faultsAtEnd(scene, world.b, "disk full")));
    } finally {
      if (existsSync(path.join(disk, "filler"))) rmSync(path.join(disk, "filler"));
      await world.sql.unsafe("alter table messages set tablespace pg_default");
      await world.sql.unsafe("drop tablespace small");
      execFileSync("umount", [disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  }),
};

const fill = (file: string) => {
  const block = Buffer.alloc(64 * 1_024);
  try {
    for (;;) writeFileSync(file, block, { flag: "a" });
  } catch {
    // Full, as wanted.
  }
};
