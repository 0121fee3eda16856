import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { createInterface } from "node:readline";
import { readDocument } from "@/lib/operations/document";
import { ensureBuilt } from "../../scripts/install.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { spawnNode } from "../../scripts/processes.mjs";
import { provisionDocument } from "../../scripts/provision-document";
import { startServer } from "../../scripts/server-process.mjs";

export const APP_SECRET = randomBytes(32).toString("base64url");

export type KeyPair = { apiKey: string; apiSecret: string };

const children: ChildProcess[] = [];

/** Starts a server of this folder in a process of its own; `url` is the address that it prints. */
export const startChild = async (
  file: string,
  environment: Record<string, string>,
): Promise<{ url: string; pid: number }> => {
  const child = spawnNode([path.join(import.meta.dirname, file)], {
    env: { ...process.env, ...environment },
    stderr: "inherit",
  });
  children.push(child);
  if (!child.stdout || !child.pid) throw new Error(`${file} did not start`);
  for await (const line of createInterface({ input: child.stdout })) return { url: line, pid: child.pid };
  throw new Error(`${file} ended before it listened`);
};

export const stopChildren = (): void => {
  for (const child of children) child.kill();
};

type Ours = {
  databaseUrl: string;
  platformUrl: string;
  /** Where events of live mode may be sent. */
  partnerUrl?: string;
  logFolder: string;
  workspaces: object[];
};

/** The built server with these workspaces. */
export const startOurs = async ({ databaseUrl, platformUrl, partnerUrl, logFolder, workspaces }: Ours) => {
  const secret = () => randomBytes(32).toString("base64url");
  const environment = {
    APP_URL: "http://localhost:3000",
    DATABASE_URL: databaseUrl,
    NEXTAUTH_SECRET: secret(),
    KEY_PEPPER: secret(),
    ENCRYPTION_KEY: secret(),
    WHATSAPP_APP_SECRET: APP_SECRET,
    WHATSAPP_VERIFY_TOKEN: secret(),
    WHATSAPP_GRAPH_URL: platformUrl,
    PUBLIC_API_IP_RATE_LIMIT: "999999999",
    PUBLIC_API_KEY_RATE_LIMIT: "999999999",
    LOG_LEVEL: "warn",
    WEBHOOK_ALLOW: partnerUrl ? new URL(partnerUrl).host : "",
  };
  Object.assign(process.env, environment);
  const provisioned = await provisionAll(workspaces);
  await ensureBuilt(process.env);
  /** One beside another over the same database, with settings of its own. */
  const start = async (settings: Record<string, string> = {}) => {
    const port = await freePort();
    const own = { ...environment, PORT: String(port), APP_URL: `http://localhost:${port}`, ...settings };
    const server = await startServer({
      environment: { PATH: process.env.PATH, ...own },
      logFile: path.join(logFolder, `server-${port}.log`),
    });
    return { url: `http://127.0.0.1:${port}`, pid: server.pid ?? 0, stop: server.stop };
  };
  return { ...(await start()), startBeside: start, workspaces: provisioned };
};

/** A workspace of the bench, with its new keys by ref. */
export type BenchWorkspace = {
  id: string;
  phoneNumbers: Record<string, string>;
  keys: Record<string, KeyPair>;
};

const provisionAll = async (workspaces: object[]): Promise<BenchWorkspace[]> => {
  const reading = readDocument({ workspaces });
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  const provisioned = await provisionDocument(reading.document);
  return provisioned.workspaces.map(({ id, phoneNumbers, apiKeys }) => ({
    id,
    phoneNumbers,
    keys: Object.fromEntries(
      Object.entries(apiKeys).map(([ref, { apiKey, apiSecret }]) => [ref, { apiKey, apiSecret: apiSecret ?? "" }]),
    ),
  }));
};
