import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { NPM_FILE } from "@/lib/docs/docs-pages";
import { digestOf, readReleases } from "../../scripts/clients/packages";
import { freePort } from "../../scripts/ports.mjs";
import {
  examplesOf,
  newFolder,
  packClient,
  partnerEnvironment,
  programsOf,
  receive,
  refusalOfStrangers,
  removeFolders,
  run,
  wholeExample,
} from "../support/client-package";
import { testServers } from "../support/environment";
import { listenOnLoopback } from "../support/loopback";
import { noteSecrets } from "../support/run-logs";
import { runToEnd, startAny } from "../support/run-to-end";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(removeFolders);

const COMPILER = path.resolve("node_modules/typescript/bin/tsc");

/** Checks programs against the installed package, as strictly as a partner may. */
const typeCheck = (cwd: string, files: string[], ...options: string[]) => {
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
  return run(cwd, [process.execPath, COMPILER, ...strict, ...options, ...files]);
};

/** With the types of Node, which a partner has from npm. */
const WITH_NODE = ["--module", "nodenext", "--types", "node", "--typeRoots", path.resolve("node_modules/@types")];

describe("the package for npm", () => {
  let installed: string;

  beforeAll(async () => {
    const tarball = packClient();
    installed = newFolder();
    await run(installed, ["npm", "install", "--silent", "--offline", tarball]);
  });

  test("has the compiled code, the licence and the README, and no dependencies", () => {
    const own = path.join(installed, "node_modules", "switchboard-client");
    expect(readdirSync(own).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const compiled = readdirSync(path.join(own, "dist"), { recursive: true, encoding: "utf8" });
    const some = ["switchboard.js", "switchboard.d.ts", "cli/main.js", "cjs/switchboard.js", "cjs/package.json"];
    expect(compiled).toEqual(expect.arrayContaining(some));
    expect(compiled.filter((file) => !/^(cli|cjs|cjs\/package.json)$|\.(js|d\.ts)$/.test(file))).toEqual([]);
    expect(readdirSync(path.join(installed, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "switchboard-client",
    ]);
  });

  test("runs the README's receiver, which takes a valid webhook, and refuses others without ending", async () => {
    const [, receiver = ""] = programsOf("clients/typescript/README.md", "ts");
    writeFileSync(path.join(installed, "receive.mjs"), receiver);
    const received = await receive(installed, [process.execPath, "receive.mjs"], {});
    expect(received).toEqual({ statuses: [401, 204, 401], printed: "message.delivered 3" });
  });

  test("shows an answer from the sandbox by the four commands of the docs", async () => {
    const page = readFileSync("lib/docs/pages/webhooks.md", "utf8");
    const port = `${await freePort()}`;
    const [program = ""] = examplesOf(page, "js").map(({ code }) => code);
    writeFileSync(path.join(installed, "answers.mjs"), program.replace("3001", port));
    const shown = examplesOf(page, "sh").find(
      ({ title, code }) => title === "What people answer" && code.includes("answers"),
    );
    const [install, listen, receive, trigger, ...more] = (shown?.code ?? "").trim().replace("3001", port).split("\n");
    expect(install).toMatch(/^npm install /);
    expect(more).toEqual([]);
    const env = await partnerEnvironment();
    const start = (command: string, own: Record<string, string> = {}) => {
      const child = startAny(["sh", "-c", `exec ${command}`], { cwd: installed, env: { ...env, ...own } });
      onTestFinished(() => void child.kill("SIGKILL"));
      let printed = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (printed += text));
      return () => printed;
    };
    const listening = start(listen ?? "");
    const secret = await vi.waitFor(
      () => /WEBHOOK_SECRET=(\S+)/.exec(listening())?.[1] ?? Promise.reject(new Error(listening())),
      { timeout: 30_000, interval: 100 },
    );
    noteSecrets("a webhook secret", [secret]);
    const answers = start(receive ?? "", { WEBHOOK_SECRET: secret });
    const strangers = () => refusalOfStrangers(`http://127.0.0.1:${port}/webhooks`);
    expect(await vi.waitFor(strangers, { timeout: 30_000, interval: 100 })).toBe(401);
    expect(JSON.parse(await run(installed, ["sh", "-c", trigger ?? ""], env)).status).toBe("READ");
    await expect.poll(answers, { timeout: 30_000 }).toMatch(/\nZoë Test answered msg_\w+: Thank you!\n$/);
  });

  test("every example of the README passes a strict compiler, and runs as it is pasted", async () => {
    const examples = examplesOf(readFileSync("clients/typescript/README.md", "utf8"), "ts").map(
      ({ title, code }, i) => ({ title, file: `readme-${i}.mts`, code: wholeExample(code) }),
    );
    const titles = ["Send a message", "Retries", "Errors", "Logs", "Webhooks"];
    expect(examples.map(({ title }) => title)).toEqual(titles);
    for (const { file, code } of examples) writeFileSync(path.join(installed, file), code);
    await typeCheck(
      installed,
      examples.map(({ file }) => file),
      ...WITH_NODE,
    );
    const env = await partnerEnvironment();
    const printed: string[] = [];
    for (const { file, code } of examples.filter(({ title }) => title !== "Webhooks")) {
      const script = file.replace("mts", "mjs");
      writeFileSync(path.join(installed, script), transformSync(code, { loader: "ts" }).code);
      printed.push(await run(installed, [process.execPath, script], env));
    }
    expect(printed).toEqual(["READ\n", "", "", expect.stringMatching(/ status: 200,[\s\S]*\nreq_\w+ \d+\n$/)]);
  });

  test("has types that a strict program compiles against, without the types of Node", async () => {
    const program = `import { ApiError, type SendRequest, Switchboard, ValidationError, verifyWebhook } from "switchboard-client";
const request: SendRequest = { type: "text", phone: "447700900003", content: "Hi" };
// @ts-expect-error A send needs a recipient.
const incomplete: SendRequest = { type: "text", content: "Hi" };
// @ts-expect-error An unknown field is refused.
const unknown: SendRequest = { type: "text", phone: "1", content: "Hi", colour: "red" };
export const main = async (headers: Headers): Promise<string> => {
  const client = new Switchboard({ apiKey: "a", apiSecret: "b" });
  try {
    const { status } = await client.send(request);
    const event = await verifyWebhook("{}", headers, "whsec_");
    if (event.type === "message.failed") return event.data.failureReason ?? status;
  } catch (error) {
    if (error instanceof ValidationError) {
      const code: "VALIDATION_ERROR" = error.code;
      return code + error.details.issues?.[0]?.path;
    }
    if (error instanceof ApiError) return error.details.requestId;
  }
  return String([incomplete, unknown]);
};
`;
    writeFileSync(path.join(installed, "strict.mts"), program);
    const lib = ["--lib", "es2022,dom,dom.iterable", "--types", ""];
    await typeCheck(installed, ["strict.mts"], "--module", "nodenext", ...lib);
  });

  test("is imported and required, and has types for both and for a bundler", async () => {
    const use = `const client = new Switchboard({ apiKey: "pk_test_a", apiSecret: "sk_test_a" });
export const key: Promise<unknown> = client
  .send({ type: "text", phone: "447700900003", content: "Hi" }, { signal: AbortSignal.abort() })
  .catch((error: unknown) => error instanceof SwitchboardError && error.idempotencyKey);
void key.then(console.log);
`;
    const imported = `import { Switchboard, SwitchboardError } from "switchboard-client";\n${use}`;
    const required = `import client_ = require("switchboard-client");\nconst { Switchboard, SwitchboardError } = client_;\n${use}`;
    for (const [file, code] of [
      ["consumer.mts", imported],
      ["consumer.cts", imported],
      ["required.cts", required],
    ] as const) {
      writeFileSync(path.join(installed, file), code);
    }
    const lib = ["--lib", "es2022,dom,dom.iterable", "--types", ""];
    for (const module of ["node16", "nodenext"]) {
      await typeCheck(installed, ["consumer.mts", "consumer.cts", "required.cts"], "--module", module, ...lib);
    }
    await typeCheck(installed, ["consumer.mts"], "--module", "esnext", "--moduleResolution", "bundler", ...lib);
    for (const [file, format] of [
      ["consumer.mts", "esm"],
      ["consumer.cts", "cjs"],
    ] as const) {
      const { code } = transformSync(readFileSync(path.join(installed, file), "utf8"), { loader: "ts", format });
      const script = file.replace(/ts$/, "js");
      writeFileSync(path.join(installed, script), code);
      expect(await run(installed, [process.execPath, script])).toMatch(/^[\w-]{36}\n$/);
    }
  });

  test("runs its command line as npx would", async () => {
    const env = await partnerEnvironment();
    const npx = (...words: string[]) => run(installed, ["npx", "--no", "--", "switchboard-client", ...words], env);
    const sent = JSON.parse(await npx("send", "--to", "447700900003", "--text", "Hi", "--key", "order-1"));
    expect(sent).toMatchObject({ status: "SENT", idempotentReplay: false });
    const lines = (await npx("status", sent.id, "--watch")).trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ id: sent.id, status: "READ" });
    expect(await npx("templates")).toMatch(/^NAME +LANGUAGE +CATEGORY +KEYS\n/);
    expect(await npx("doctor")).toMatch(/^ok {4}Node: /);
    expect(JSON.parse(await npx("trigger", "message.failed"))).toMatchObject({ status: "FAILED" });
    await expect(npx("fly")).rejects.toThrow(/ended with 2:[\s\S]*Usage: npx --no -- switchboard-client COMMAND/);
  });

  test("is never replaced by a stranger's package of its name where its commands run in another folder", async () => {
    const registry = await startRegistry("switchboard-client");
    const env = { npm_config_registry: registry, npm_config_yes: "true", npm_config_cache: newFolder() };
    // Without `--no` npx runs what a registry has under the name.
    expect(await run(newFolder(), ["npx", "switchboard-client"], env)).toBe("A stranger's program.\n");
    const ended = await runToEnd(["npx", "--no", "--", "switchboard-client", "doctor"], { cwd: newFolder(), env });
    expect([ended.exitCode, ended.stdout]).toEqual([1, ""]);
  });
});

/** A registry that has one package, a stranger's, under `name`. */
const startRegistry = async (name: string): Promise<string> => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, version: "9.9.9", bin: "./program.js" }));
  writeFileSync(path.join(folder, "program.js"), `#!/usr/bin/env node\nconsole.log("A stranger's program.");\n`);
  await run(folder, ["npm", "pack", "--silent"]);
  const file = readFileSync(path.join(folder, `${name}-9.9.9.tgz`));
  const { url, close } = await listenOnLoopback(
    createServer(({ url: asked, headers }, response) => {
      if (asked?.endsWith(".tgz")) return void response.end(file);
      const dist = { tarball: `http://${headers.host}/${name}.tgz`, integrity: digestOf(file) };
      const version = { name, version: "9.9.9", bin: { [name]: "./program.js" }, dist };
      response.end(JSON.stringify({ name, "dist-tags": { latest: "9.9.9" }, versions: { "9.9.9": version } }));
    }),
  );
  onTestFinished(close);
  return url;
};

describe("the package that this deployment serves", () => {
  test("is installed from its address, file by file the packed one, and runs as npx would", async () => {
    const [cwd, packed] = [newFolder(), newFolder()];
    const env = await partnerEnvironment();
    await run(cwd, ["npm", "install", "--silent", `${testServers().baseUrl}/docs/${NPM_FILE}`]);
    await run(packed, ["npm", "install", "--silent", "--offline", packClient()]);
    const filesOf = (folder: string) => {
      const own = path.join(folder, "node_modules", "switchboard-client");
      const names = readdirSync(own, { recursive: true, encoding: "utf8" }).filter((name) =>
        /\.\w+$|LICENSE/.test(name),
      );
      return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(path.join(own, name), "utf8")]));
    };
    expect(filesOf(cwd)).toEqual(filesOf(packed));
    expect(await run(cwd, ["npx", "--no", "--", "switchboard-client", "doctor"], env)).toMatch(/^ok {4}Node: /);
  });

  test.each(Object.entries(readReleases()))(
    "version %s is installed by a lock file that was written when it was released",
    async (version, { files }) => {
      const cwd = newFolder();
      const [[name, integrity] = ["", ""]] = Object.entries(files);
      const resolved = `${testServers().baseUrl}/docs/${name}`;
      const dependencies = { "switchboard-client": resolved };
      const lock = {
        lockfileVersion: 3,
        packages: {
          "": { name: "partner", dependencies },
          "node_modules/switchboard-client": { version, resolved, integrity },
        },
      };
      writeFileSync(path.join(cwd, "package.json"), JSON.stringify({ name: "partner", dependencies }));
      writeFileSync(path.join(cwd, "package-lock.json"), JSON.stringify(lock));
      // Its own cache, which has no other file of that digest.
      await run(cwd, ["npm", "ci", "--silent"], { npm_config_cache: newFolder() });
      const manifest = readFileSync(path.join(cwd, "node_modules/switchboard-client/package.json"), "utf8");
      expect(JSON.parse(manifest).version).toBe(version);
    },
  );

  test("has all files of all versions for reading only, and a page for a version that is not there", async () => {
    const { baseUrl } = testServers();
    for (const [name, digest] of Object.values(readReleases()).flatMap(({ files }) => Object.entries(files))) {
      const answer = await fetch(`${baseUrl}/docs/${name}`);
      expect([answer.status, digestOf(new Uint8Array(await answer.arrayBuffer()))]).toEqual([200, digest]);
      expect((await fetch(`${baseUrl}/docs/${name}`, { method: "POST" })).status).toBe(405);
    }
    const missing = await fetch(`${baseUrl}/docs/switchboard-client-99.0.0.tgz`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get("content-security-policy")).toContain("script-src");
  });
});
