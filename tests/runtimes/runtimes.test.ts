import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import {
  type Env,
  newFolder,
  packClient,
  partnerEnvironment,
  programsOf,
  receive,
  removeFolders,
  run,
} from "../support/client-package";
import { testServers } from "../support/environment";
import { type ProxyFault, startFaultProxy } from "../support/fault-proxy";
import { startAny } from "../support/run-to-end";
import { countMessages } from "../support/sends";
import { WEBHOOK_SECRET, webhookVectors } from "../support/webhook-vectors";
import { provisionWorkspace } from "../support/workspace";

/** As the registry has them; a newer one may behave otherwise. */
const RUNTIMES = ["deno@2.9.6", "bun@1.4.5", "workerd@1.20261117.1"];
const FAULTS: ProxyFault[] = ["cut-before", "cut-half-request", "cut-after", "cut-half-response", "gateway-timeout"];

let folder: string;
const program = (name: string): string => path.join(folder, "node_modules/.bin", name);

beforeAll(async () => {
  const tarball = packClient();
  folder = newFolder();
  await run(folder, ["npm", "install", "--silent", tarball, ...RUNTIMES]);
  const [send = "", receiver = ""] = programsOf("clients/typescript/README.md", "ts");
  writeFileSync(path.join(folder, "send.mjs"), send);
  writeFileSync(path.join(folder, "receive.mjs"), receiver);
});
afterAll(removeFolders);

/** A workspace behind a proxy that first does what `faults` say. */
const behindFaults = async (faults: ProxyFault[]) => {
  const workspace = await provisionWorkspace({ mode: "test" });
  const proxy = await startFaultProxy(testServers().baseUrl, workspace.clientAddress);
  onTestFinished(proxy.close);
  proxy.next(...faults);
  const { apiKey, apiSecret } = workspace;
  return { workspace, env: { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: proxy.url } };
};

describe.each([
  { runtime: "Deno", words: () => [program("deno"), "run", "--no-prompt", "--allow-net", "--allow-env"] },
  { runtime: "Bun", words: () => [program("bun"), "run"] },
])("in $runtime", ({ words }) => {
  test("the README's program sends, and waits until the message is read", async () => {
    expect((await run(folder, [...words(), "send.mjs"], await partnerEnvironment())).trim()).toBe("READ");
  });

  test("the README's receiver takes a valid webhook and refuses another", async () => {
    const received = await receive(folder, [...words(), "receive.mjs"], {});
    expect(received).toEqual({ statuses: [204, 400], printed: "message.delivered 3" });
  });

  test.each(FAULTS)("a send is repeated under its key after %s: one message", async (fault) => {
    const { workspace, env } = await behindFaults([fault]);
    expect((await run(folder, [...words(), "send.mjs"], env)).trim()).toBe("READ");
    expect(await countMessages(workspace)).toBe(1);
  });
});

describe("in a worker (workerd, the runtime of Cloudflare Workers)", () => {
  test("sends and waits until the message is read", async () => {
    const worker = await startWorker(await partnerEnvironment());
    expect(await (await fetch(`${worker}/send`)).json()).toEqual({ isReplay: false, status: "READ" });
  });

  test("takes a valid webhook and refuses every other", async () => {
    const worker = await startWorker({});
    const vectors = webhookVectors().filter(({ secret }) => secret === WEBHOOK_SECRET);
    for (const { name, body, headers, fault } of vectors) {
      const { status } = await fetch(worker, { method: "POST", body, headers });
      expect({ name, status }).toEqual({ name, status: fault ? 400 : 200 });
    }
    expect(vectors.length).toBeGreaterThan(5);
  });

  test.each(FAULTS)("a send is repeated under its key after %s: one message", async (fault) => {
    const { workspace, env } = await behindFaults([fault]);
    const worker = await startWorker(env);
    expect(await (await fetch(`${worker}/send`)).json()).toMatchObject({ status: "READ" });
    expect(await countMessages(workspace)).toBe(1);
  });
});

/** Starts the worker with `env` as its bindings, and returns where it is. */
const startWorker = async (env: Env): Promise<string> => {
  const port = await freePort();
  const dist = path.join(folder, "node_modules/switchboard-client/dist");
  const files = readdirSync(dist).filter((file) => file.endsWith(".js"));
  copyFileSync("tests/runtimes/worker.js", path.join(folder, "worker.js"));
  const module = (name: string, file: string) => `(name = "${name}", esModule = embed "${file}")`;
  const modules = [
    module("worker.js", "worker.js"),
    ...files.map((file) => module(`switchboard-client/${file}`, path.relative(folder, path.join(dist, file)))),
  ];
  const bindings = Object.entries({ ...env, WEBHOOK_SECRET }).map(
    ([name, text]) => `(name = "${name}", text = "${text}")`,
  );
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${modules.join(", ")}],
      bindings = [${bindings.join(", ")}],
      compatibilityDate = "2026-11-01",
      globalOutbound = "internet")),
    (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
`;
  const file = path.join(folder, `worker-${port}.capnp`);
  writeFileSync(file, config);
  const child = startAny([program("workerd"), "serve", file]);
  let printed = "";
  child.stderr?.on("data", (text) => {
    printed += text;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  await vi
    .waitFor(() => fetch(url, { method: "POST" }), { timeout: 20_000, interval: 100 })
    .catch(() => {
      throw new Error(`workerd does not respond:\n${printed}`);
    });
  return url;
};
