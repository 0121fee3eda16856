import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { DATA_DIRECTORY } from "../local-environment.mjs";

/** The folder that a deployment serves the packages from. */
export const PACKAGES = "public/docs";
export const RELEASES = "clients/releases.json";

/** A version: the digest of its sources, and of each of its files. */
export type Release = { sources: string; files: Record<string, string> };

const SOURCES = ["clients/typescript", "clients/python"];
const BUILT = new Set(["dist", "node_modules", "__pycache__"]);

export function readReleases(): Record<string, Release> {
  return JSON.parse(readFileSync(RELEASES, "utf8"));
}

export function clientVersion(): string {
  return JSON.parse(readFileSync("clients/typescript/package.json", "utf8")).version;
}

/** Returns a digest in npm's lock file format. */
export function digestOf(content: string | Uint8Array): string {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}

/** Returns the digest of all package sources. */
export function sourcesDigest(): string {
  return digestOf(
    SOURCES.flatMap(filesOf)
      .map((file) => `${digestOf(readFileSync(file))} ${file}\n`)
      .join(""),
  );
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !BUILT.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesOf(file) : [file];
    });
}

/** Compiles and packs the TypeScript client into `folder`, and returns the name of the file. */
export function packNpm(folder: string): string {
  // Build a copy inside the project, so that npm finds the compiler and the sources stay clean.
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  const source = mkdtempSync(path.join(DATA_DIRECTORY, "client-"));
  try {
    cpSync("clients/typescript", source, { recursive: true, filter: (file) => !BUILT.has(path.basename(file)) });
    const printed = execFileSync("npm", ["pack", "--silent", "--pack-destination", path.resolve(folder)], {
      cwd: source,
      encoding: "utf8",
    });
    return printed.trim().split("\n").at(-1) ?? "";
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

/** Builds the wheel of the Python client into `folder` with pip, which fetches the build backend, and returns its name. */
export function packWheel(folder: string): string {
  const options = ["--no-deps", "--quiet", "--disable-pip-version-check", "--wheel-dir", path.resolve(folder)];
  // A fixed time, so that the same sources are the same wheel.
  const env = { ...process.env, SOURCE_DATE_EPOCH: "1767225600" };
  execFileSync("python3", ["-m", "pip", "wheel", ".", ...options], { cwd: "clients/python", env, stdio: "inherit" });
  return `switchboard_client-${clientVersion()}-py3-none-any.whl`;
}
