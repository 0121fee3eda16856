import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { provenWorkspaceId } from "@/lib/core/principal";
import { sendTestEvent } from "@/lib/outgoing/change-endpoint";
import { builtActions } from "../support/actions";
import { startInstance, testServers } from "../support/environment";
import { startSession } from "../support/listener";
import { openSockets } from "../support/open-sockets";
import { processTree } from "../support/process-tree";
import { signIn } from "../support/session";
import { carouselRecord, ORDER } from "../support/template-records";
import { provisionWorkspace } from "../support/workspace";
import type { MemorySample } from "./memory";
import type { Vocabulary } from "./values";

/** A heap that is given more grows into it, whatever is alive: with a bound, growth means something. */
const HEAP_MEBIBYTES = 192;
const MEBIBYTE = 1_024 * 1_024;
const TELLS_WITHIN_MS = 30_000;

/** A server of its own without limits in the way, and a workspace to name in requests. */
export const startFuzzTarget = async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-fuzz-"));
  const memoryFile = path.join(folder, "memory.json");
  const instance = await startInstance({
    PUBLIC_API_IP_RATE_LIMIT: "100000000",
    PUBLIC_API_KEY_RATE_LIMIT: "100000000",
    LOG_LEVEL: "error",
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES} --require "${path.resolve("tests/fuzz/tell-memory.cjs")}"`,
    FUZZ_MEMORY_FILE: memoryFile,
  });
  const port = Number(new URL(instance.baseUrl).port);
  const workspace = await provisionWorkspace({
    templates: [ORDER, carouselRecord()],
    contacts: [{ ref: "ada", phone: "447700900123" }],
  });
  const sent = await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  const testKey = workspace.keys.other ?? { apiKey: "", apiSecret: "" };
  const { listener } = await startSession(workspace, { key: testKey });
  const deliveryId = await sendTestEvent(provenWorkspaceId(workspace.workspaceId), listener);
  const words: Vocabulary = {
    testKey,
    listener,
    deliveryId,
    apiKey: workspace.apiKey,
    apiSecret: workspace.apiSecret,
    cookie: await signIn(workspace.owner),
    workspaceId: workspace.workspaceId,
    phoneNumberId: workspace.phoneNumberId,
    contactId: workspace.contacts.ada ?? "",
    messageId: sent.body.data.id,
    whatsappMessageId: sent.body.data.chatMessageId ?? "",
    whatsappPhoneNumberId: workspace.whatsappPhoneNumberId,
    whatsappBusinessAccountId: workspace.whatsappBusinessAccountId,
    templates: [ORDER.name, "summer_offers", "no_such_template"],
    actions: Object.entries(builtActions()).flatMap(([name, id]) => (ENDS_THE_RUN.test(name) ? [] : [id])),
    origin: instance.baseUrl,
  };
  return {
    ...instance,
    words,
    secret: testServers().environment.WHATSAPP_APP_SECRET ?? "",
    measure: () => measure(instance.pid, memoryFile),
    logFaults: () => logFaults(instance.logFile),
    openSockets: () => openSockets(instance.pid, port) ?? 0,
    stop: async () => {
      await instance.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** What takes the session or the workspace away that the other requests of a run name. */
const ENDS_THE_RUN = /#(signOut|signOutEverywhere|setPassword|removeWorkspace|leave)$/;

/** Lines of the server's log that name a fault of ours, each kind once. */
const logFaults = (file: string): string[] => {
  const lines = readFileSync(file, "utf8").split("\n");
  const faults = lines.filter((line) => /"level":"error"|^\s+at |⨯|^\w*Error\b/.test(line));
  return [...new Set(faults.map((line) => line.replace(/"at":"[^"]+"|req_\w+/g, "").slice(0, 400)))];
};

/** Of the server and of its page process together. */
const measure = async (pid: number, prefix: string): Promise<Omit<MemorySample, "runs">> => {
  const reported = await Promise.all(processTree(pid).map((one) => tellMemory(one, `${prefix}.${one}`)));
  const sum = (part: "heapUsed" | "rss") => reported.reduce((total, memory) => total + memory[part], 0) / MEBIBYTE;
  return { heapMebibytes: sum("heapUsed"), residentMebibytes: sum("rss") };
};

const tellMemory = async (pid: number, file: string): Promise<{ heapUsed: number; rss: number }> => {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const untilMs = Date.now() + TELLS_WITHIN_MS; !existsSync(file); await sleep(20)) {
    if (Date.now() > untilMs) throw new Error("The server did not tell its memory.");
  }
  return JSON.parse(readFileSync(file, "utf8"));
};
