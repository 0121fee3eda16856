import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { serverEnvironment } from "../../support/programs";
import { runToEnd } from "../../support/run-to-end";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

// Follows the recipe of CONTRIBUTING in a copy of the tree, with the endpoint that is made up there.

const FILE = "lib/public-api/endpoints/list-languages.ts";
const REGISTRY = "lib/public-api/endpoints.ts";
let copy: string;
let workspace: TestWorkspace;

const recipe = readFileSync("CONTRIBUTING.md", "utf8").split("## Add an endpoint")[1]?.split("\n## ")[0] ?? "";

beforeAll(async () => {
  copy = mkdtempSync(path.join(tmpdir(), "switchboard-recipe-"));
  for (const name of ["lib", "db", "scripts", "clients", "docs", "package.json", "tsconfig.json"])
    cpSync(name, path.join(copy, name), { recursive: true });
  symlinkSync(path.resolve("node_modules"), path.join(copy, "node_modules"));
  const [, source = ""] = /```ts\n([\s\S]*?)```/.exec(recipe) ?? [];
  writeFileSync(path.join(copy, FILE), source.replaceAll(/^ {3}/gm, ""));
  const registry = readFileSync(REGISTRY, "utf8");
  const listed = `import { listLanguagesEndpoint } from "./endpoints/list-languages";\n${registry.replace("= [", "= [listLanguagesEndpoint, ")}`;
  expect(listed).toContain("[listLanguagesEndpoint, ");
  writeFileSync(path.join(copy, REGISTRY), listed);
  workspace = await provisionWorkspace({ mode: "test", templates: [{ ...FIXTURE_TEMPLATES[0] }] });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const runIn = async (...args: string[]): Promise<string> => {
  const env = serverEnvironment();
  const { exitCode, stdout, stderr } = await runToEnd([process.execPath, ...args], { cwd: copy, env });
  expect(exitCode, `${args.join(" ")}: ${stdout}${stderr}`).toBe(0);
  return stdout;
};
const tsx = (...args: string[]) => runIn("node_modules/tsx/dist/cli.mjs", ...args);
const written = (file: string) => readFileSync(path.join(copy, file), "utf8");

describe("the recipe for an endpoint", () => {
  test("takes four files at most", () => {
    const files = [...recipe.matchAll(/`((?:lib|tests)\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
    expect(recipe).toContain(`in \`${path.dirname(FILE)}\`, here \`${path.basename(FILE)}\``);
    expect(files.filter((file) => !file.endsWith("add-an-endpoint.test.ts"))).toEqual([
      REGISTRY,
      "tests/api/access/api.ts",
    ]);
  });

  test("leads to code that compiles", async () => {
    const config = {
      extends: "./tsconfig.json",
      compilerOptions: { incremental: false },
      files: [REGISTRY],
      include: [],
    };
    writeFileSync(path.join(copy, "tsconfig.recipe.json"), JSON.stringify(config));
    await runIn("node_modules/typescript/bin/tsc", "--project", "tsconfig.recipe.json");
  });

  test("leads to the document, and breaks no caller", async () => {
    await tsx("scripts/openapi.ts");
    const { get } = JSON.parse(written("docs/openapi.json")).paths["/templates/languages"];
    expect(get).toMatchObject({
      operationId: "listLanguages",
      parameters: [{ name: "category", in: "query", schema: { type: "string", maxLength: 20 } }],
    });
    expect(Object.keys(get.responses)).toEqual(["200", "400", "401", "403", "405", "429", "500", "503"]);
  });

  test("leads to the types of both clients", async () => {
    await tsx("scripts/generate-clients.ts");
    expect(written("clients/typescript/src/resources.ts")).toContain("export type Language = {");
    expect(written("clients/python/src/switchboard_client/resources.py")).toMatch(/class Language\b/);
    expect(written("clients/typescript/src/requests.ts")).toContain("export type ListLanguagesQuery = {");
  });

  test("leads to a call that validates, answers, and is in the reference", async () => {
    writeFileSync(path.join(copy, "call.ts"), CALL);
    const { apiKey, apiSecret } = workspace;
    const printed = await tsx("call.ts", JSON.stringify({ apiKey, apiSecret }));
    const { answers, reference } = JSON.parse(printed.split("RESULT ")[1]?.split("\n")[0] ?? "");
    const [languages, refused, wrongMethod] = answers;
    expect(languages).toMatchObject({ status: 200, body: { success: true } });
    expect(languages.body.data.languages).toContainEqual({ code: "en_US", templates: expect.any(Number) });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: "VALIDATION_ERROR", message: "`category` is longer than 20 characters." },
    });
    expect(wrongMethod).toMatchObject({ status: 405, body: { error: "METHOD_NOT_ALLOWED" } });
    expect(reference).toContain("## List the languages of the templates {#listLanguages}");
    expect(reference).toContain("/api/v1/public/templates/languages");
    expect(reference).toContain("data.languages[].code");
  });
});

const CALL = `
import { fillPlaceholders, readerWith } from "@/lib/docs/placeholders";
import { ENDPOINTS } from "@/lib/public-api/endpoints";
import { publicRoute } from "@/lib/public-api/route";

const { GET, POST } = publicRoute(ENDPOINTS);
const headers = JSON.parse(process.argv[2]);
const call = async (method, query = "") => {
  const url = "http://localhost/api/v1/public/templates/languages" + query;
  const route = method === "GET" ? GET : POST;
  const response = await route(new Request(url, { method, headers }), { params: Promise.resolve({}) });
  return { status: response.status, body: await response.json() };
};
const answers = [await call("GET"), await call("GET", "?category=" + "x".repeat(21)), await call("POST")];
const reference = fillPlaceholders("[[operations]]", readerWith(null));
console.log("RESULT " + JSON.stringify({ answers, reference }));
process.exit();
`;
