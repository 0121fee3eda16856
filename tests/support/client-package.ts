import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { packNpm } from "../../scripts/clients/packages";
import { freePort } from "../../scripts/ports.mjs";
import { hangUp } from "./hang-ups";
import { fromOwnAddress } from "./own-address";
import { runToEnd, startAny } from "./run-to-end";
import { WEBHOOK_SECRET, webhookVectors } from "./webhook-vectors";
import { provisionWorkspace } from "./workspace";

export type Env = Record<string, string | undefined>;

const folders: string[] = [];

export const newFolder = (): string => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-package-"));
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

/** Packs the client for npm as a release does, and returns the file. */
export const packClient = (): string => {
  const target = newFolder();
  return path.join(target, packNpm(target));
};

export type Example = { title: string; code: string };

/** The examples of a Markdown text in a language, each under its heading. */
export const examplesOf = (markdown: string, language: string): Example[] => {
  let title = "";
  return [...markdown.matchAll(/^#{2,4} (.+?)(?: \{#.*)?$|^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, heading, fence, code = ""]) => {
      title = heading ?? title;
      return fence === language ? [{ title, code }] : [];
    },
  );
};

/** An example of the README as a program: one that is a part gets around it what its reader has. */
export const wholeExample = (code: string): string =>
  /new Switchboard\(|createServer\(/.test(code) ? code : `${AROUND}${code}`;

/** With types as narrow as a reader would write them: wider ones would hide what their compiler refuses. */
const AROUND = `import { type SendRequest, Switchboard } from "switchboard-client";
const { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: origin } = process.env;
const client = new Switchboard({ apiKey, apiSecret, origin });
const request: SendRequest = { type: "text", phone: "447700900003", content: "Hi" };
const remember = async (id: string): Promise<void> => console.log(id);
const sendLater = async (request: SendRequest, key: string): Promise<void> => console.log(request, key);
`;

/** The programs of a README that are complete, in order: the send, then the receiver of webhooks. */
export const programsOf = (readme: string, language: string): string[] => {
  const examples = examplesOf(readFileSync(readme, "utf8"), language);
  return ["Send a message", "Webhooks"].map((title) => examples.find((one) => one.title === title)?.code ?? "");
};

/** What a partner's environment holds, for a new workspace of the sandbox. */
export const partnerEnvironment = async (): Promise<Env> => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const { url, close } = await fromOwnAddress(workspace);
  onTestFinished(close);
  return { CHAT_API_KEY: workspace.apiKey, CHAT_API_SECRET: workspace.apiSecret, CHAT_API_URL: url };
};

/** Starts a README's receiver, delivers one without a signature, a valid and a broken one, and returns the statuses and what it printed. */
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
  const [{ body, headers } = { body: "", headers: {} }] = webhookVectors();
  const post = (content: string) => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: content, headers });
  await vi.waitFor(() => post(""), { timeout: 20_000, interval: 100 });
  return [
    await refusalOfStrangers(`http://127.0.0.1:${port}`),
    (await post(body)).status,
    (await post(`${body} `)).status,
  ];
};

/** Hangs up within a body and posts one without a signature; returns the status of that. A receiver lives on. */
export const refusalOfStrangers = async (url: string): Promise<number> => {
  const { port, host, pathname } = new URL(url);
  const bytes = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n{`;
  await hangUp(Number(port), { bytes, after: 50, ending: "rst" });
  return (await fetch(url, { method: "POST" })).status;
};
