import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { createInterface } from "node:readline";
import { readDocument } from "@/lib/provision/document";
import { ensureBuilt } from "../../scripts/install.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { provisionDocument } from "../../scripts/provision-document";
import { startServer } from "../../scripts/server-process.mjs";

export const WHATSAPP_LINE = { phoneNumberId: "1055", businessAccountId: "1022" };
export const APP_SECRET = randomBytes(32).toString("base64url");

const children: ChildProcess[] = [];

/** Starts a server of this folder in a process of its own, and returns the address that it prints. */
export const startChild = async (file: string, environment: Record<string, string>): Promise<string> => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, file)], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`${file} ended before it listened`);
};

export const stopChildren = (): void => {
  for (const child of children) child.kill();
};

type Ours = { databaseUrl: string; platformUrl: string; logFolder: string; count?: number };

/** So many built servers over one database, with one workspace, one live line and its key. */
export const startOurs = async ({ databaseUrl, platformUrl, logFolder, count = 1 }: Ours) => {
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
  };
  Object.assign(process.env, environment);
  const reading = readDocument({
    workspaces: [
      {
        ref: "bench",
        name: "Bench",
        phoneNumbers: [
          {
            ref: "main",
            label: "Main",
            mode: "live",
            displayPhoneNumber: "+44 20 7946 0123",
            whatsappPhoneNumberId: WHATSAPP_LINE.phoneNumberId,
            whatsappBusinessAccountId: WHATSAPP_LINE.businessAccountId,
            accessToken: "token",
            isActive: true,
          },
        ],
        apiKeys: [{ ref: "main", label: "main", mode: "live" }],
      },
    ],
  });
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  const [workspace] = (await provisionDocument(reading.document)).workspaces;
  const pair = workspace?.apiKeys.main;
  if (!pair?.apiSecret) throw new Error("the benchmark's key was not created");
  await ensureBuilt(process.env);
  const start = async () => {
    const port = await freePort();
    const server = await startServer({
      environment: { PATH: process.env.PATH, ...environment, PORT: String(port), APP_URL: `http://localhost:${port}` },
      logFile: path.join(logFolder, `server-${port}.log`),
    });
    return { url: `http://127.0.0.1:${port}`, stop: server.stop };
  };
  const servers: Awaited<ReturnType<typeof start>>[] = [];
  for (let index = 0; index < count; index++) servers.push(await start());
  return {
    urls: servers.map(({ url }) => url),
    stop: () => Promise.all(servers.map(({ stop }) => stop())),
    key: { apiKey: pair.apiKey, apiSecret: pair.apiSecret },
  };
};

/** A webhook of statuses of the bench's line. */
export const webhookOf = (statuses: object[]) => {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "442079460123", phone_number_id: WHATSAPP_LINE.phoneNumberId },
    statuses: statuses.map((status) => ({
      timestamp: String(Math.floor(Date.now() / 1_000)),
      recipient_id: "447700900123",
      ...status,
    })),
  };
  const changes = [{ field: "messages", value }];
  return { object: "whatsapp_business_account", entry: [{ id: WHATSAPP_LINE.businessAccountId, changes }] };
};
