import { strFromU8, unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { shownCalls } from "@/lib/docs/shown-calls";
import { SEND_TEXT } from "@/lib/reference/calls";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { testServers } from "../../support/environment";
import { provisionWorkspace, request } from "../../support/workspace";

const demo = () => provisionWorkspace({ mode: "test", templates: [...FIXTURE_TEMPLATES] });

const ofTemplates = (origin: string) => shownCalls(origin).filter(({ form }) => form !== undefined);

describe("201", () => {
  test.each(ofTemplates(testServers().mediaUrl))("the call for $name by $form is taken", async ({ call }) => {
    const workspace = await demo();
    const answer = await workspace.send(call.body, { "Idempotency-Key": call.idempotencyKey ?? "" });
    expect(answer.status, answer.text).toBe(201);
  });

  test("no two calls of the docs share an idempotency key, so that each can be pasted after the other", () => {
    const calls = shownCalls(testServers().baseUrl);
    const keys = calls.flatMap(({ call }) => call.idempotencyKey ?? []);
    expect(keys.length).toBeGreaterThan(5);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("the pictures that those calls link to are there", async () => {
    const links = JSON.stringify(shownCalls(testServers().baseUrl)).match(/http[^"]+\.png/g) ?? [];
    expect(links.length).toBeGreaterThan(2);
    for (const link of new Set(links)) expect((await request("GET", link)).status, link).toBe(200);
  });
});

type Collection = {
  variable: { key: string; value: string }[];
  item: {
    name: string;
    request: {
      method: string;
      header: { key: string; value: string }[];
      url: { raw: string; variable: { key: string; value: string }[] };
      body?: { raw: string };
    };
  }[];
};

describe("/docs/postman.json", () => {
  test("holds no key, and every call of it is answered once its variables are set", async () => {
    const collection: Collection = JSON.parse(
      (await request("GET", `${testServers().baseUrl}/docs/postman.json`)).text,
    );
    const { apiKey, apiSecret, clientAddress, send } = await demo();
    const { id } = (await send(SEND_TEXT.body)).body.data;
    expect(collection.variable).toEqual([
      { key: "origin", value: testServers().baseUrl },
      ...["apiKey", "apiSecret", "messageId"].map((key) => ({ key, value: "" })),
    ]);
    const values: Record<string, string> = { origin: testServers().baseUrl, apiKey, apiSecret, messageId: id };
    const filled = (text: string) =>
      text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
        name === "$guid" ? crypto.randomUUID() : (values[name] ?? ""),
      );
    const answered: number[] = [];
    for (const { request: call } of collection.item) {
      const places = Object.fromEntries(call.url.variable.map(({ key, value }) => [key, filled(value)]));
      const url = filled(call.url.raw).replace(/\/:(\w+)/g, (_, name: string) => `/${places[name]}`);
      const headers = Object.fromEntries(call.header.map(({ key, value }) => [key, filled(value)]));
      const answer = await request(call.method, url, {
        headers: { ...headers, "x-forwarded-for": clientAddress },
        ...(call.body ? { body: call.body.raw } : {}),
      });
      answered.push(answer.status);
    }
    expect(answered).toEqual([201, 200, 200]);
  });
});

/** The pairs of a block of Bruno's markup; those that a tilde switches off are left out. */
const pairsOf = (text: string, name: string): Record<string, string> => {
  const lines = (blockOf(text, name) ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("~"));
  return Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/, 2)));
};

const blockOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name} [{[]\n([^]*?)\n[}\\]]$`, "m").exec(text)?.[1]?.replace(/^ {2}/gm, "");

describe("/docs/bruno.zip", () => {
  test("holds no key, and every call of it is answered once its environment is set", async () => {
    const answer = await fetch(`${testServers().baseUrl}/docs/bruno.zip`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
    const files = Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer()))).map(
      ([name, bytes]) => [name.replace(/^switchboard\//, ""), strFromU8(bytes)] as const,
    );
    const { "bruno.json": manifest = "", "environments/Switchboard.bru": environment = "" } = Object.fromEntries(files);
    expect(JSON.parse(manifest)).toEqual({ version: "1", name: "Switchboard messaging API", type: "collection" });
    expect(pairsOf(environment, "vars")).toEqual({ host: testServers().baseUrl, apiKey: "", messageId: "" });
    expect(blockOf(environment, "vars:secret")).toBe("apiSecret");

    const { apiKey, apiSecret, clientAddress, send } = await demo();
    const { id } = (await send(SEND_TEXT.body)).body.data;
    const values: Record<string, string> = { ...pairsOf(environment, "vars"), apiKey, apiSecret, messageId: id };
    const filled = (text: string) =>
      text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
        name === "$guid" ? crypto.randomUUID() : (values[name] ?? ""),
      );
    const answered: [name: string | undefined, status: number][] = [];
    for (const [file, text] of files.filter(([name]) => /^[^/]+\.bru$/.test(name))) {
      const method = blockOf(text, "post") === undefined ? "get" : "post";
      const { url = "", body = "" } = pairsOf(text, method);
      const places = pairsOf(text, "params:path");
      const address = filled(url.replace(/\/:(\w+)/g, (_, name: string) => `/${places[name]}`));
      const headers = Object.entries(pairsOf(text, "headers")).map(([name, value]) => [name, filled(value)]);
      const { status } = await request(method.toUpperCase(), address, {
        // Bruno names the type of a JSON body by itself.
        headers: {
          ...Object.fromEntries(headers),
          ...(body === "json" ? { "content-type": "application/json" } : {}),
          "x-forwarded-for": clientAddress,
        },
        ...(body === "json" ? { body: blockOf(text, "body:json") ?? "" } : {}),
      });
      expect(`${pairsOf(text, "meta").name}.bru`).toBe(file);
      answered.push([pairsOf(text, "meta").seq, status]);
    }
    expect(answered).toEqual([
      ["1", 201],
      ["2", 200],
      ["3", 200],
    ]);
  });
});
