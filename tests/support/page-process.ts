import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { isAlive } from "../../scripts/processes.mjs";
import { startInstance } from "./environment";
import { type Inspector, inspect } from "./inspector";
import { processTree } from "./process-tree";
import { PHONE } from "./sends";
import { provisionWorkspace, request } from "./workspace";

type Server = Awaited<ReturnType<typeof startInstance>>;
export type InspectedServer = Server & { open: (pid: number) => Promise<Inspector> };

const running: Server[] = [];
const inspectors: Inspector[] = [];

/** Stops what the tests of a file have started. */
export const stopInspectedServers = (): void => {
  afterEach(async () => {
    for (const inspector of inspectors.splice(0)) inspector.close();
    await Promise.all(running.splice(0).map(({ stop }) => stop()));
  });
};

/** A server whose processes open an inspector where the environment asks for it. */
export const startInspected = async (settings: Record<string, string> = {}): Promise<InspectedServer> => {
  const inspectPort = await freePort();
  const instance = await startInstance({
    PUBLIC_API_KEY_RATE_LIMIT: "1000000",
    PUBLIC_API_IP_RATE_LIMIT: "1000000",
    NODE_OPTIONS: `--inspect-port=${inspectPort}`,
    ...settings,
  });
  running.push(instance);
  const open = async (pid: number) => {
    const inspector = await inspect(pid, inspectPort);
    inspectors.push(inspector);
    return inspector;
  };
  return { ...instance, open };
};

export const pagesOf = ({ pid }: Server): number => processTree(pid)[1] ?? 0;

export const health = async ({ baseUrl }: Server) => (await request("GET", `${baseUrl}/api/health`)).body;

const pageStatus = async ({ baseUrl }: Server) =>
  (await request("GET", `${baseUrl}/docs`, { headers: { accept: "text/html" } })).status;

/** Sends 50 a second on 8 connections until it is stopped, and gives how many were answered, by status. */
export const keepSending = async ({ baseUrl }: Server) => {
  const { apiKey, apiSecret, clientAddress } = await provisionWorkspace();
  const headers = { apiKey, apiSecret, "x-forwarded-for": clientAddress };
  const counts: Record<number, number> = {};
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const body = JSON.stringify({ type: "text", phone: PHONE, content: "Hello" });
      const [{ status }] = await Promise.all([
        request("POST", `${baseUrl}/api/v1/public/messages/send`, { body, headers }),
        sleep(160),
      ]);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: 8 }, lane));
  return async () => {
    isOver = true;
    await lanes;
    return counts;
  };
};

/** While sends go on, none fails and the pages are back, once `hurt` has ended their process. */
export const expectPagesBack = async (instance: InspectedServer, hurt: () => unknown): Promise<void> => {
  expect(await pageStatus(instance)).toBe(200);
  const stopSending = await keepSending(instance);
  const before = pagesOf(instance);
  await hurt();
  await expect.poll(() => isAlive(before), { timeout: 40_000 }).toBe(false);
  await expect.poll(() => pageStatus(instance), { timeout: 40_000 }).toBe(200);
  expect(pagesOf(instance)).not.toBe(before);
  expect(Object.keys(await stopSending())).toEqual(["201"]);
  expect(await health(instance)).toEqual({ status: "ok", pages: "ok" });
};
