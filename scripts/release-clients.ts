import { readFileSync, writeFileSync } from "node:fs";
import { writeGeneratedFiles } from "./clients/generated-files";
import {
  clientVersion,
  digestOf,
  PACKAGES,
  packNpm,
  packWheel,
  RELEASES,
  readReleases,
  sourcesDigest,
} from "./clients/packages";

const MANIFEST = "clients/typescript/package.json";

/** Bumps the patch version; for a minor or major step edit package.json first. */
function raiseVersion(): void {
  const [major, minor, patch] = clientVersion().split(".");
  const raised = `${major}.${minor}.${Number(patch) + 1}`;
  const manifest = readFileSync(MANIFEST, "utf8");
  writeFileSync(MANIFEST, manifest.replace(/"version": ".*"/, `"version": "${raised}"`));
}

writeGeneratedFiles();
const releases = readReleases();
if (releases[clientVersion()]?.sources === sourcesDigest()) {
  process.stdout.write(`${clientVersion()} is released already, and nothing has changed since.\n`);
} else {
  if (releases[clientVersion()]) raiseVersion();
  writeGeneratedFiles();
  const names = [packNpm(PACKAGES), packWheel(PACKAGES)];
  const files = Object.fromEntries(names.map((name) => [name, digestOf(readFileSync(`${PACKAGES}/${name}`))]));
  const all = { ...releases, [clientVersion()]: { sources: sourcesDigest(), files } };
  writeFileSync(RELEASES, `${JSON.stringify(all, null, 2)}\n`);
  process.stdout.write(`${names.map((name) => `${PACKAGES}/${name}`).join("\n")}\n`);
}
