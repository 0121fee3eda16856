import { WebSocket } from "undici";
import { expect } from "vitest";

type Reply = {
  id?: number;
  method?: string;
  params?: { url?: string };
  result?: { result?: { value?: unknown; objectId?: string }; objects?: { objectId: string } };
};

export type Inspector = {
  /** Runs an expression in the process, and does not wait where it never ends. */
  evaluate: (expression: string, options?: { isAwaited?: boolean }) => Promise<unknown>;
  /** The addresses of all scripts that the process has loaded. */
  scripts: () => Promise<string[]>;
  /** How many objects are there whose prototype is the value of an expression. */
  instancesOf: (prototype: string) => Promise<number>;
  close: () => void;
};

/** Opens the inspector of a running Node process, as SIGUSR1 does, on a port of loopback that it chooses. */
export const inspect = async (pid: number, port: number): Promise<Inspector> => {
  process.kill(pid, "SIGUSR1");
  const target = async () => {
    const [found] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
    return found?.webSocketDebuggerUrl;
  };
  await expect.poll(() => target().catch(() => undefined), { timeout: 10_000 }).toBeDefined();
  const socket = new WebSocket((await target()) ?? "");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const replies = new Map<number, (reply: Reply) => void>();
  const scripts: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const reply: Reply = JSON.parse(String(data));
    if (reply.method === "Debugger.scriptParsed") scripts.push(reply.params?.url ?? "");
    if (reply.id !== undefined) replies.get(reply.id)?.(reply);
  });
  let serial = 0;
  const ask = (method: string, params: Record<string, unknown> = {}): Promise<Reply> => {
    serial += 1;
    const id = serial;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => replies.set(id, resolve));
  };
  return {
    evaluate: async (expression, { isAwaited = true } = {}) => {
      const reply = ask("Runtime.evaluate", { expression, returnByValue: true });
      return isAwaited ? (await reply).result?.result?.value : undefined;
    },
    scripts: async () => {
      await ask("Debugger.enable");
      return scripts;
    },
    instancesOf: async (prototype) => {
      const { result } = await ask("Runtime.evaluate", { expression: prototype });
      const found = await ask("Runtime.queryObjects", { prototypeObjectId: result?.result?.objectId });
      const { objectId } = found.result?.objects ?? {};
      const counted = await ask("Runtime.callFunctionOn", {
        objectId,
        functionDeclaration: "function () { return this.length; }",
        returnByValue: true,
      });
      return Number(counted.result?.result?.value);
    },
    close: () => socket.close(),
  };
};
