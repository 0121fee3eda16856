import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { isTraversable } from "./postgres-binaries.mjs";
import { isAlive } from "./processes.mjs";

/** The one role of an embedded server. */
export const USER = "switchboard";
// Postgres refuses to run as root; this is the user "nobody" on every system.
const NOBODY = 65_534;

/** Where a server's files are, and the account that it runs under. */
export function placeFor(directory) {
  const wanted = path.resolve(directory);
  const parent = path.dirname(wanted);
  mkdirSync(parent, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  // The unprivileged server could not reach its data inside root's private home directory.
  const reachable = !isRoot || isTraversable(realpathSync(parent));
  const data = reachable
    ? path.join(realpathSync(parent), path.basename(wanted))
    : path.join(
        realpathSync(os.tmpdir()),
        `switchboard-${createHash("sha256").update(wanted).digest("hex").slice(0, 16)}`,
      );
  if (!isRoot && existsSync(data) && process.getuid && statSync(data).uid !== process.getuid()) {
    throw new Error(`${data} belongs to another user. Remove it, or run this as that user.`);
  }
  if (existsSync(data) && !existsSync(path.join(data, "PG_VERSION"))) {
    throw new Error(`${data} is there, but holds no Postgres data. Remove it, or name another folder.`);
  }
  const account = isRoot ? accountFor(data) : {};
  return { data, account, log: `${data}.log`, owner: `${data}.owner` };
}

/** Creates a cluster in a temporary folder and then renames it, so that a killed run leaves no partial one. */
export async function createCluster(place, { initdb }) {
  removeUnfinished(place);
  const unfinished = `${place.data}.new-${process.pid}`;
  const data = path.join(unfinished, "data");
  const passwordFile = path.join(unfinished, "password");
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, randomBytes(24).toString("hex"), { mode: 0o600 });
  giveTo(place.account, unfinished);
  const initialised = spawnSync(
    initdb,
    [
      "-D",
      data,
      "-U",
      USER,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      `--locale=${process.env.TEST_POSTGRES_LOCALE ?? "C"}`,
      "--no-sync",
      "--no-instructions",
    ],
    { ...place.account, cwd: os.tmpdir(), env: cleanEnvironment(), encoding: "utf8" },
  );
  if (initialised.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`The embedded Postgres could not make its files: ${initialised.stderr || initialised.error}`);
  }
  renameSync(passwordFile, path.join(data, PASSWORD));
  // Another process may have created the cluster first; then that one is used.
  if (!existsSync(place.data)) renameSync(data, place.data);
  rmSync(unfinished, { recursive: true, force: true });
}

const PASSWORD = "switchboard-password";

export function passwordOf(place) {
  return readFileSync(path.join(place.data, PASSWORD), "utf8");
}

/** Returns the environment without PG* variables, which would affect the server, and with UTC and the C locale. */
export function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PG"));
  return { ...Object.fromEntries(kept), LC_ALL: "C", TZ: "UTC" };
}

/** Returns the account to run as: the data's owner, or "nobody", to whom data owned by root is given. */
function accountFor(data) {
  const owner = existsSync(data) ? statSync(data) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const nobody = { uid: NOBODY, gid: NOBODY };
  if (owner) giveTo(nobody, data);
  return nobody;
}

function giveTo(account, file) {
  if (!("uid" in account)) return;
  chownSync(file, account.uid, account.gid);
  if (!statSync(file).isDirectory()) return;
  for (const name of readdirSync(file)) giveTo(account, path.join(file, name));
}

function removeUnfinished(place) {
  const folder = path.dirname(place.data);
  for (const name of readdirSync(folder)) {
    const [, pid] = name.startsWith(`${path.basename(place.data)}.new-`) ? name.split(".new-") : [];
    if (pid && !isAlive(Number(pid))) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}
