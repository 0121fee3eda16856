import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attachExtras, toResponse } from "@/lib/public-api/read-body";
import { lightRequest } from "@/lib/server/mount";

const ORIGIN = "http://127.0.0.1:3000";

let arrived: IncomingMessage[] = [];
const server = createServer((incoming, response) => {
  arrived.push(incoming);
  incoming.resume();
  response.end();
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

/** What Node's server makes of a request, light and as the web's own. */
const both = async (path: string, init: RequestInit = {}) => {
  arrived = [];
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
  const [incoming] = arrived;
  if (!incoming) throw new Error("no request has arrived");
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  return {
    light: lightRequest(incoming, ORIGIN),
    web: new Request(`${ORIGIN}${incoming.url}`, { method: incoming.method ?? "GET", headers }),
  };
};

test.each(["/", "/a/b?c=d&e=%20f", '/a"b|c', "/%E2%82%AC", "/a?b#c"])("has the URL of %s", async (path) => {
  const { light, web } = await both(path);
  expect(light.url).toBe(web.url);
  expect(light.method).toBe("GET");
});

test("has the same headers, asked by any name and one by one", async () => {
  const headers = [
    ["X-Api-Key", "pk_1"],
    ["X-Twice", "a"],
    ["X-Twice", "b"],
    ["X-Empty", ""],
    ["X-Latin", "caf\u00e9"],
  ] satisfies [string, string][];
  const { light, web } = await both("/", { method: "POST", headers, body: "{}" });
  for (const name of [
    "x-api-key",
    "X-API-Key",
    "x-twice",
    "x-empty",
    "x-latin",
    "x-none",
    "constructor",
    "__proto__",
  ]) {
    expect([name, light.headers.get(name), light.headers.has(name)]).toEqual([
      name,
      web.headers.get(name),
      web.headers.has(name),
    ]);
  }
  expect([...light.headers]).toEqual([...web.headers]);
  expect([...new Headers(light.headers)]).toEqual([...web.headers]);
  expect(Object.fromEntries(light.headers.entries())).toEqual(Object.fromEntries(web.headers));
});

test("is the web's kind, and has all that the web's own has", async () => {
  const { light, web } = await both("/");
  expect(light).toBeInstanceOf(Request);
  expect(light.headers).toBeInstanceOf(Headers);
  expect(light.signal).toBeInstanceOf(AbortSignal);
  expect(light.signal).toBe(light.signal);
  expect([light.body, light.bodyUsed, light.redirect]).toEqual([web.body, web.bodyUsed, web.redirect]);
  expect(light.clone().url).toBe(web.url);
  expect(await light.text()).toBe("");
});

test("a response has the same text and headers for a request of our server and of any other", async () => {
  const { light, web } = await both("/");
  attachExtras(light, { body: () => () => {}, refusal: undefined });
  const written = {
    status: 201,
    headers: { "X-A": "b", "Content-Type": "application/json" },
    text: "caf\u00e9 \ud83d\ude00",
  };
  expect(toResponse(light, written)).toEqual(written);
  const any = toResponse(web, written);
  expect([any.status, await any.text()]).toEqual([201, written.text]);
  expect(Object.fromEntries(any.headers)).toEqual({ "x-a": "b", "content-type": "application/json" });
});
