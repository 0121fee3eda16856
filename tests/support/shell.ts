import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs what a person would paste, with these variables set: the HTTP status that its curl was answered with. */
export const runInShell = async (code: string, variables: Record<string, string>): Promise<string> => {
  const home = mkdtempSync(path.join(os.tmpdir(), "curl-home-"));
  try {
    writeFileSync(path.join(home, ".curlrc"), 'write-out = "\\n%{http_code}"\nsilent\n');
    const { stdout } = await run("sh", ["-c", code], {
      env: { ...process.env, HOME: home, CURL_HOME: home, ...variables },
    });
    return stdout.trim().split("\n").at(-1) ?? "";
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
