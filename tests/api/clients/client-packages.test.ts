import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NPM_FILE } from "@/lib/docs/npm-package";
import {
  newFolder,
  packClient,
  partnerEnvironment,
  programsOf,
  receive,
  removeFolders,
  run,
} from "../../support/client-package";
import { testServers } from "../../support/environment";
import { PYTHON, pythonTitle, runPython } from "../../support/python";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(removeFolders);

describe("the package for npm", () => {
  let installed: string;

  beforeAll(async () => {
    const tarball = await packClient();
    installed = newFolder();
    await run(installed, ["npm", "install", "--silent", "--offline", tarball]);
  });

  test("has the compiled code, the licence and the README, and no dependencies", () => {
    const own = path.join(installed, "node_modules", "switchboard-client");
    expect(readdirSync(own).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const compiled = readdirSync(path.join(own, "dist"), { recursive: true, encoding: "utf8" });
    expect(compiled).toEqual(expect.arrayContaining(["switchboard.js", "switchboard.d.ts", "cli/main.js"]));
    expect(compiled.filter((file) => !/^cli$|\.(js|d\.ts)$/.test(file))).toEqual([]);
    expect(readdirSync(path.join(installed, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "switchboard-client",
    ]);
  });

  test("runs the README's program in an empty folder, as it is", async () => {
    const [send = ""] = programsOf("clients/typescript/README.md", "js");
    writeFileSync(path.join(installed, "send.mjs"), send);
    expect((await run(installed, [process.execPath, "send.mjs"], await partnerEnvironment())).trim()).toBe("READ");
  });

  test("runs the README's receiver, which takes a valid webhook and refuses another", async () => {
    const [, receiver = ""] = programsOf("clients/typescript/README.md", "js");
    writeFileSync(path.join(installed, "receive.mjs"), receiver);
    const received = await receive(installed, [process.execPath, "receive.mjs"], {});
    expect(received).toEqual({ statuses: [204, 400], printed: "message.delivered 3" });
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
    const compiler = path.resolve("node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--types", ""];
    const lib = ["--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
    await run(installed, [process.execPath, compiler, ...options, ...lib, "strict.mts"]);
  });

  test("runs its command line as npx would", async () => {
    const env = await partnerEnvironment();
    const npx = (...words: string[]) => run(installed, ["npx", "--no-install", "switchboard-client", ...words], env);
    const sent = JSON.parse(await npx("send", "--to", "447700900003", "--text", "Hi", "--key", "order-1"));
    expect(sent).toMatchObject({ status: "SENT", idempotentReplay: false });
    const lines = (await npx("status", sent.id, "--watch")).trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ id: sent.id, status: "READ" });
    expect(await npx("templates")).toMatch(/^NAME +LANGUAGE +CATEGORY +KEYS\n/);
    expect(await npx("doctor")).toMatch(/^ok {4}Node: /);
    expect(JSON.parse(await npx("trigger", "message.failed"))).toMatchObject({ status: "FAILED" });
    await expect(npx("fly")).rejects.toThrow(/ended with 2:[\s\S]*Usage: npx switchboard-client COMMAND/);
  });
});

describe("the package that this deployment serves", () => {
  test("is installed from its address, file by file the packed one, and runs as npx would", async () => {
    const [cwd, packed] = [newFolder(), newFolder()];
    const env = await partnerEnvironment();
    await run(cwd, ["npm", "install", "--silent", `${testServers().baseUrl}/docs/${NPM_FILE}`]);
    await run(packed, ["npm", "install", "--silent", "--offline", await packClient()]);
    const filesOf = (folder: string) => {
      const own = path.join(folder, "node_modules", "switchboard-client");
      const names = readdirSync(own, { recursive: true, encoding: "utf8" }).filter((name) =>
        /\.\w+$|LICENSE/.test(name),
      );
      return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(path.join(own, name), "utf8")]));
    };
    expect(filesOf(cwd)).toEqual(filesOf(packed));
    expect(await run(cwd, ["npx", "--no-install", "switchboard-client", "doctor"], env)).toMatch(/^ok {4}Node: /);
  });

  test("has the name and version of its address", () => {
    const { name, version } = JSON.parse(readFileSync("clients/typescript/package.json", "utf8"));
    expect(NPM_FILE).toBe(`${name}-${version}.tgz`);
  });
});

describe.skipIf(!PYTHON)(pythonTitle("the package for PyPI"), () => {
  let site: string;
  let cwd: string;
  let built: string;

  beforeAll(async () => {
    const source = newFolder();
    cpSync("clients/python", source, { recursive: true, filter: (file) => path.basename(file) !== "__pycache__" });
    const target = newFolder();
    built = target;
    [site, cwd] = [newFolder(), newFolder()];
    const hasPip = (await runPython(["-m", "pip", "--version"])).exitCode === 0;
    const pip = (...args: string[]) =>
      run(cwd, ["python3", "-m", "pip", ...args, "--no-index", "--no-deps", "--disable-pip-version-check", "--quiet"]);
    // Without pip the backend is called as pip would, and a wheel is a zip file whose files lie as they are installed.
    if (hasPip) await pip("wheel", source, "--wheel-dir", target);
    else
      await run(source, [
        "python3",
        "-c",
        `import wheel_backend; wheel_backend.build_wheel(${JSON.stringify(target)})`,
      ]);
    const [wheel = ""] = readdirSync(target);
    const file = path.join(target, wheel);
    if (hasPip) await pip("install", "--target", site, file);
    else await run(cwd, ["python3", "-m", "zipfile", "-e", file, site]);
  });

  test("has the modules, the licence and the mark of typed code", () => {
    const files = readdirSync(site, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["switchboard_client/py.typed", "switchboard_client/client.py"]));
    const [info = ""] = files.filter((file) => /^[^/]+\.dist-info$/.test(file));
    expect(existsSync(path.join(site, info, "licenses", "LICENSE"))).toBe(true);
    const metadata = readFileSync(path.join(site, info, "METADATA"), "utf8");
    expect(metadata).toMatch(/^Name: switchboard-client$/m);
    expect(metadata).toMatch(/^Requires-Python: >=3\.9$/m);
    expect(metadata).not.toMatch(/^Requires-Dist/m);
  });

  test("is what this deployment serves for pip, file by file", async () => {
    const { baseUrl } = testServers();
    const wheel = readdirSync(built).find((name) => name.endsWith(".whl")) ?? "";
    const answer = await fetch(`${baseUrl}/docs/${wheel}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
    expect(unzipSync(new Uint8Array(await answer.arrayBuffer()))).toEqual(
      unzipSync(new Uint8Array(readFileSync(path.join(built, wheel)))),
    );
  });

  test("runs the README's program in an empty folder, as it is", async () => {
    const [send = ""] = programsOf("clients/python/README.md", "python");
    writeFileSync(path.join(cwd, "send.py"), send);
    const env = { ...(await partnerEnvironment()), PYTHONPATH: site };
    expect((await run(cwd, ["python3", "send.py"], env)).trim()).toBe("READ");
  });

  test("runs the README's receiver, which takes a valid webhook and refuses another", async () => {
    const [, receiver = ""] = programsOf("clients/python/README.md", "python");
    writeFileSync(path.join(cwd, "receive.py"), receiver);
    const received = await receive(cwd, ["python3", "receive.py"], { PYTHONPATH: site });
    expect(received).toEqual({ statuses: [204, 400], printed: "message.delivered 3" });
  });
});
