import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { fromOwnAddress } from "./own-address";
import { runToEnd, startAny } from "./run-to-end";
import { WEBHOOK_SECRET, WEBHOOK_VECTORS } from "./webhook-vectors";
import { provisionWorkspace } from "./workspace";

export type Env = Record<string, string | undefined>;

const folders: string[] = [];

export const newFolder = (parent = os.tmpdir()): string => {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, "switchboard-package-"));
  folders.push(folder);
  return folder;
};

export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** Runs a program to its end, which must be a good one, and returns its standard output. */
export const run = async (cwd: string, words: string[], env: Env = {}): Promise<string> => {
  const { exitCode, stdout, stderr } = await runToEnd(words, { cwd, env });
  if (exitCode === 0) return stdout;
  throw new Error(`${words.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
};

/** Packs the client for npm as a release would, and returns the file. */
export const packClient = async (): Promise<string> => {
  // A copy below the project, where the compiler is found and nothing is left in the sources.
  const source = newFolder(DATA_DIRECTORY);
  cpSync("clients/typescript", source, { recursive: true, filter: (file) => path.basename(file) !== "dist" });
  const target = newFolder();
  await run(source, ["npm", "pack", "--silent", "--pack-destination", target]);
  const [tarball = ""] = readdirSync(target);
  return path.join(target, tarball);
};

/** The programs of a README that are complete, in order: the send, then the receiver of webhooks. */
export const programsOf = (readme: string, language: string): string[] =>
  [...readFileSync(readme, "utf8").matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))]
    .map(([, program = ""]) => program)
    .filter((program) => /Switchboard\(|createServer|HTTPServer\(/.test(program));

/** What a partner's environment holds, for a new workspace of the sandbox. */
export const partnerEnvironment = async (): Promise<Env> => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const { url, close } = await fromOwnAddress(workspace);
  onTestFinished(close);
  return { CHAT_API_KEY: workspace.apiKey, CHAT_API_SECRET: workspace.apiSecret, CHAT_API_URL: url };
};

/** Starts a README's receiver, delivers a valid webhook and a broken one, and returns the statuses and what it printed. */
export const receive = async (cwd: string, words: string[], env: Env) => {
  const port = await freePort();
  const child = startAny(words, { cwd, env: { ...env, PORT: `${port}`, WEBHOOK_SECRET } });
  let printed = "";
  child.stdout?.on("data", (text) => {
    printed += text;
  });
  try {
    const statuses = await deliver(port);
    await vi.waitFor(() => {
      if (printed === "") throw new Error("nothing is printed yet");
    });
    return { statuses, printed: printed.trim() };
  } finally {
    child.kill();
  }
};

const deliver = async (port: number): Promise<number[]> => {
  const [{ body, headers } = { body: "", headers: {} }] = WEBHOOK_VECTORS;
  const post = (content: string) => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: content, headers });
  await vi.waitFor(() => post(""), { timeout: 20_000, interval: 100 });
  return [(await post(body)).status, (await post(`${body} `)).status];
};
