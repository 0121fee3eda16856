import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";

const VERSION = "64.0.2";
/** The registry has not got the version that the command asks for, and no build uses it. */
const OVERRIDES = { sandbox: "4.5.0" };

/** What Vercel knows of a project: no account is asked, and the packages are those that are here. */
const PROJECT = {
  projectId: "prj_local",
  orgId: "team_local",
  settings: { framework: "nextjs", nodeVersion: "24.x", installCommand: "true" },
};

/** The project as `vercel build` makes it: `root` is what the functions' files are relative to, `output` the Build Output API's folder. */
export type BuildOutput = { root: string; output: string };

/** Builds a copy of what git knows of this project, with npm's `vercel`, offline but for the first installation. */
export function buildOutput(): BuildOutput {
  const command = installCommand();
  const root = mkdtempSync(path.join(os.tmpdir(), "switchboard-vercel-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name && existsSync(name))) cpSync(file, path.join(root, file));
  // Turbopack follows no link out of its root.
  execFileSync("cp", ["-al", path.resolve("node_modules"), path.join(root, "node_modules")]);
  mkdirSync(path.join(root, ".vercel"));
  writeFileSync(path.join(root, ".vercel/project.json"), JSON.stringify(PROJECT));
  execFileSync(process.execPath, [command, "build", "--prod", "--yes"], {
    cwd: root,
    env: {
      NODE_ENV: "production",
      PATH: process.env.PATH,
      HOME: root,
      NEXT_TELEMETRY_DISABLED: "1",
      VERCEL_TELEMETRY_DISABLED: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 500_000,
  });
  return { root, output: path.join(root, ".vercel/output") };
}

function installCommand(): string {
  const folder = path.join(DATA_DIRECTORY, `vercel-${VERSION}`);
  const command = path.join(folder, "node_modules/vercel/dist/vc.js");
  if (existsSync(command)) return command;
  mkdirSync(folder, { recursive: true });
  const wanted = { private: true, dependencies: { vercel: VERSION }, overrides: OVERRIDES };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(wanted));
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "pipe" });
  return command;
}

/** Puts a function's files together in a folder of its own, as Vercel uploads them; returns the folder and their size in bytes. */
export function materialize({ root, output }: BuildOutput, name: string): { folder: string; bytes: number } {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-function-"));
  const source = path.join(output, "functions", `${name}.func`);
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true });
  const { filePathMap } = JSON.parse(readFileSync(path.join(source, ".vc-config.json"), "utf8"));
  for (const [to, from] of Object.entries<string>(filePathMap)) {
    const target = path.join(folder, to);
    mkdirSync(path.dirname(target), { recursive: true });
    if (!existsSync(target)) cpSync(path.join(root, from), target, { recursive: true, verbatimSymlinks: true });
  }
  const [size = ""] = execFileSync("du", ["-sb", folder], { encoding: "utf8" }).split("\t");
  return { folder, bytes: Number(size) };
}
