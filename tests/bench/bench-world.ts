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
import { PLAIN_WORKSPACE } from "./bench-workspaces";

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
  count?: number;
  workspaces?: object[];
};

/** So many built servers over one database, with these workspaces; `key` is the main key of the first. */
export const startOurs = async (options: Ours) => {
  const { databaseUrl, platformUrl, logFolder, count = 1, workspaces = [PLAIN_WORKSPACE] } = options;
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
    WEBHOOK_ALLOW: options.partnerUrl ? new URL(options.partnerUrl).host : "",
  };
  Object.assign(process.env, environment);
  const provisioned = await provisionAll(workspaces);
  await ensureBuilt(process.env);
  const start = async () => {
    const port = await freePort();
    const server = await startServer({
      environment: { PATH: process.env.PATH, ...environment, PORT: String(port), APP_URL: `http://localhost:${port}` },
      logFile: path.join(logFolder, `server-${port}.log`),
    });
    return { url: `http://127.0.0.1:${port}`, pid: server.pid ?? 0, stop: server.stop };
  };
  const servers: Awaited<ReturnType<typeof start>>[] = [];
  for (let index = 0; index < count; index++) servers.push(await start());
  const [first] = provisioned;
  if (!first?.keys.main) throw new Error("the benchmark's key was not created");
  return {
    urls: servers.map(({ url }) => url),
    pids: servers.map(({ pid }) => pid),
    stop: () => Promise.all(servers.map(({ stop }) => stop())),
    key: first.keys.main,
    workspaces: provisioned,
  };
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
