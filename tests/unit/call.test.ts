import { createServer, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { answerOf, type Call } from "@/lib/http/call";
import { toCall } from "@/lib/http/mount";
import { toRequest, toResponse, webRoute } from "@/lib/http/web-route";
import { callWith } from "../support/calls";
import { forSuite } from "../support/for-suite";
import { listenOnLoopback } from "../support/loopback";

const ORIGIN = "http://127.0.0.1:3000";

let arrived: IncomingMessage[] = [];
const server = createServer((incoming, response) => {
  arrived.push(incoming);
  incoming.resume();
  response.end();
});
const loopback = forSuite(() => listenOnLoopback(server).then(({ url, close }) => ({ url, stop: close })));

/** A request as a call, and as the web's own. */
const both = async (path: string, init: RequestInit = {}) => {
  arrived = [];
  await fetch(`${loopback.url}${path}`, init);
  const [incoming] = arrived;
  if (!incoming) throw new Error("no request has arrived");
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  return {
    call: toCall(incoming, ORIGIN),
    web: new Request(`${ORIGIN}${incoming.url}`, { method: incoming.method ?? "GET", headers }),
  };
};

test.each(["/", "/a/b?c=d&e=%20f", '/a"b|c', "/%E2%82%AC", "/a?b#c"])("has the URL of %s", async (path) => {
  const { call, web } = await both(path);
  expect(call.url.href).toBe(web.url);
  expect(call.method).toBe("GET");
});

test("has the same headers, asked by any name and one by one", async () => {
  const headers = [
    ["X-Api-Key", "pk_1"],
    ["X-Twice", "a"],
    ["X-Twice", "b"],
    ["X-Empty", ""],
    ["X-Latin", "caf\u00e9"],
  ] satisfies [string, string][];
  const { call, web } = await both("/", { method: "POST", headers, body: "{}" });
  const names = ["x-api-key", "X-API-Key", "x-twice", "x-empty", "x-latin", "x-none", "constructor", "__proto__"];
  for (const name of names) expect([name, call.headers.get(name)]).toEqual([name, web.headers.get(name)]);
  expect([...new Headers([...call.headers])]).toEqual([...web.headers]);
});

test("says which headers were sent twice that must not be", async () => {
  const headers = [
    ["Idempotency-Key", "a"],
    ["Idempotency-Key", "a"],
    ["X-Twice", "a"],
    ["X-Twice", "a"],
  ] satisfies [string, string][];
  const incoming = { method: "GET", url: "/", headers: {}, rawHeaders: headers.flat(), socket: {} };
  expect(toCall(incoming as unknown as IncomingMessage, ORIGIN).repeated).toEqual(["idempotency-key"]);
});

// A socket that closes after its request says that the body was cut, too.
test("is a web request again for code of the web, with its whole body", async () => {
  const body =
    (text: string): Call["body"] =>
    ({ chunk, end, cut }) => {
      chunk(Buffer.from(text));
      end();
      cut();
      return () => {};
    };
  const call = callWith({ "content-type": "application/json" }, { method: "POST", body: body("{}") });
  const request = toRequest(call);
  expect([request.method, request.url, request.headers.get("content-type")]).toEqual([
    "POST",
    call.url.href,
    "application/json",
  ]);
  expect(await request.text()).toBe("{}");
  expect(toRequest(callWith({}, { method: "TRACE" })).method).toBe("OPTIONS");
});

test("takes nothing of a body before code of the web reads it", async () => {
  let isTaken = false;
  const body: Call["body"] = ({ end }) => {
    isTaken = true;
    end();
    return () => {};
  };
  const request = toRequest(callWith({}, { method: "POST", body }));
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
  expect(await request.text()).toBe("");
  expect(isTaken).toBe(true);
});

test("an answer is the same as a web response, and a HEAD has no body", async () => {
  const headers = { "X-A": "b", "Content-Type": "application/json", "set-cookie": ["a=1", "b=2"] };
  const answer = { status: 201, headers, body: "caf\u00e9 \ud83d\ude00" };
  const response = toResponse("GET", answer);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  const again = answerOf(response);
  expect([again.status, again.headers]).toEqual([
    201,
    { "x-a": "b", "content-type": "application/json", "set-cookie": ["a=1", "b=2"] },
  ]);
  expect(await new Response(again.body).text()).toBe(answer.body);
  expect(toResponse("HEAD", answer).body).toBeNull();
});

test("a route of Next gets the call of a web request", async () => {
  const { POST } = webRoute(async ({ method, url, headers, params, peer, repeated }) => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ method, path: url.pathname, a: headers.get("a"), params, peer, repeated }),
  }));
  const request = new Request("http://localhost/x?y=1", { method: "POST", headers: { a: "b" } });
  const answer = await POST(request, { params: Promise.resolve({ id: "1", rest: ["2"] }) });
  expect(await answer.json()).toEqual({ method: "POST", path: "/x", a: "b", params: { id: "1" } });
});
