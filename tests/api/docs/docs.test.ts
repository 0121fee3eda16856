import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { testServers } from "../../support/environment";
import { ORDER } from "../../support/template-records";
import { provisionWorkspace, request } from "../../support/workspace";

const get = (path: string) => request("GET", `${testServers().baseUrl}${path}`);

describe("200", () => {
  test("every page and code that /llms.txt names is there, under this host", async () => {
    const { status, headers, text } = await get("/llms.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const addresses = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address]) => address ?? "");
    expect(addresses.length).toBeGreaterThan(15);
    for (const address of addresses) {
      expect(address.startsWith(testServers().baseUrl), address).toBe(true);
      expect((await request("GET", address)).status, address).toBe(200);
    }
  });

  test("/openapi.json describes what the API answers in fact", async () => {
    const document: unknown = JSON.parse((await get("/openapi.json")).text);
    const schemas = isRecord(document) && isRecord(document.components) ? document.components.schemas : undefined;
    const schema = (name: string) => {
      const found = isRecord(schemas) ? schemas[name] : undefined;
      if (!isRecord(found)) throw new Error(`no schema ${name}`);
      return z.fromJSONSchema(found);
    };
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const sent = await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
    expect(schema("Message").safeParse(sent.body.data).error).toBeUndefined();
    const read = await workspace.status(sent.body.data.id);
    expect(schema("Message").safeParse(read.body.data).error).toBeUndefined();
    const { body } = await workspace.call("GET", "/api/v1/public/templates");
    expect(body.data.templates).toHaveLength(1);
    expect(schema("Template").safeParse(body.data.templates[0]).error).toBeUndefined();
    const refused = await workspace.send({ type: "text" });
    expect(refused.status).toBe(400);
    expect(schema("Error").safeParse(refused.body).error).toBeUndefined();
  });
});
