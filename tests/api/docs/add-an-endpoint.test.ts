import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { publicApi } from "@/lib/api/route";
import { openApiDocument, type Schema } from "@/lib/docs/openapi";
import { readerWith } from "@/lib/docs/placeholders";
import { readReference } from "@/lib/docs/reference";
import { operationMarkdown } from "@/lib/docs/reference-markdown";
import { webRoute } from "@/lib/http/web-route";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { readApiModel } from "../../../scripts/clients/api-model";
import { pythonTypes } from "../../../scripts/clients/python-source";
import { typescriptTypes } from "../../../scripts/clients/typescript-source";
import { breakingChanges } from "../../../scripts/openapi-changes";
import { forSuite } from "../../support/for-suite";
import { listLanguagesEndpoint } from "../../support/list-languages";
import { provisionWorkspace } from "../../support/workspace";

const WITH_RECIPE = [...ENDPOINTS, listLanguagesEndpoint];
const recipe = readFileSync("CONTRIBUTING.md", "utf8").split("## Add an endpoint")[1]?.split("\n## ")[0] ?? "";
const at = (value: unknown, ...path: string[]) =>
  path.reduce<unknown>((place, name) => (place as Schema | undefined)?.[name], value);

describe("the recipe for an endpoint", () => {
  test("is code that compiles, in four files at most", () => {
    const [, source = ""] = /```ts\n([\s\S]*?)```/.exec(recipe) ?? [];
    expect(source.replaceAll(/^ {3}/gm, "")).toBe(readFileSync("tests/support/list-languages.ts", "utf8"));
    const files = [...recipe.matchAll(/`((?:lib|tests)\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
    expect(recipe).toContain("in `lib/api/endpoints`, here `list-languages.ts`");
    expect(files.filter((file) => !file.endsWith("add-an-endpoint.test.ts"))).toEqual([
      "lib/api/endpoints.ts",
      "tests/api/access/api.ts",
    ]);
  });

  test("leads to the document, and breaks no caller", () => {
    const document = openApiDocument("https://switchboard.example", WITH_RECIPE);
    const get = at(document, "paths", "/templates/languages", "get");
    expect(get).toMatchObject({
      operationId: "listLanguages",
      parameters: [{ name: "category", in: "query", schema: { type: "string", maxLength: 20 } }],
    });
    const statuses = Object.keys((get as { responses: object }).responses);
    expect(statuses).toEqual(["200", "400", "401", "403", "405", "429", "500", "503"]);
    expect(breakingChanges(JSON.parse(readFileSync("docs/openapi.json", "utf8")), document)).toEqual([]);
  });

  test("leads to the types of both clients", () => {
    const { requests, resources } = readApiModel(WITH_RECIPE);
    expect(typescriptTypes(resources)).toContain("export type Language = {");
    expect(typescriptTypes(requests)).toContain("export type ListLanguagesQuery = {");
    expect(pythonTypes("", resources)).toMatch(/class Language\b/);
  });

  describe("leads to", () => {
    const workspace = forSuite(() => provisionWorkspace({ mode: "test", templates: [{ ...FIXTURE_TEMPLATES[0] }] }));

    test("a call that validates and answers", async () => {
      const { apiKey, apiSecret } = workspace;
      const { GET, POST } = webRoute(publicApi(WITH_RECIPE));
      const call = async (method: "GET" | "POST", query = "") => {
        const url = `http://localhost/api/v1/public/templates/languages${query}`;
        const route = method === "GET" ? GET : POST;
        const response = await route(new Request(url, { method, headers: { apiKey, apiSecret } }), {
          params: Promise.resolve({}),
        });
        return { status: response.status, body: await response.json() };
      };
      const languages = await call("GET");
      expect(languages).toMatchObject({ status: 200, body: { success: true } });
      expect(languages.body.data.languages).toEqual([{ code: "en_US", templates: 1 }]);
      expect(await call("GET", `?category=${"x".repeat(21)}`)).toMatchObject({
        status: 400,
        body: { error: "VALIDATION_ERROR", message: "`category` is longer than 20 characters." },
      });
      expect(await call("POST")).toMatchObject({ status: 405, body: { error: "METHOD_NOT_ALLOWED" } });
    });

    test("a part of the reference", () => {
      const reader = readerWith(null);
      const { operations } = readReference(openApiDocument(reader.origin, WITH_RECIPE));
      const reference = operations.map((operation) => operationMarkdown(operation, reader)).join("\n");
      expect(reference).toContain("## List the languages of the templates {#listLanguages}");
      expect(reference).toContain("/api/v1/public/templates/languages");
      expect(reference).toContain("data.languages[].code");
    });
  });
});
