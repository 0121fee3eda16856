import { beforeEach, describe, expect, test } from "vitest";
import { expectApiHeaders, expectRateHeaders } from "../../support/edge-headers";
import { forSuite } from "../../support/for-suite";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { head, openRaw, rawRequest } from "../../support/raw-http";
import { expectError } from "../../support/sends";
import { signIn } from "../../support/session";
import { type Answer, provisionWorkspace, request } from "../../support/workspace";

const SEND = "/api/v1/public/messages/send";
const TEMPLATES = "/api/v1/public/templates";
const TEXT = JSON.stringify({ type: "text", phone: "447700900123", content: "Hi" });

/** What these bytes are answered with: never nothing, and always with the headers of the API. */
const answerTo = async (bytes: string): Promise<Answer> => {
  const answer = await rawRequest(workspace.baseUrl, bytes);
  if (!answer) throw new Error("no answer");
  expectApiHeaders(answer);
  return answer;
};

const NOT_FOUND = { status: 404, error: "NOT_FOUND", details: { retryable: false } } as const;
const INVALID = { status: 400, error: "VALIDATION_ERROR", details: { retryable: false } } as const;
/** The headers of a call that counts on the limit of its address alone, with so many before it. */
const counted = (before = 0) => ({ limit: 100, remaining: 99 - before, policies: { ip: 100 } });

const workspace = forSuite(() => provisionWorkspace());
/** Each test calls from an address of its own. */
let address: string;
beforeEach(async () => {
  await awayFromWindowEdge();
  address = freshAddress();
});

const from = (withKey = true): Record<string, string> => ({
  "X-Forwarded-For": address,
  ...(withKey ? { apiKey: workspace.apiKey, apiSecret: workspace.apiSecret } : {}),
});

describe("404", () => {
  test.each([
    "/api/v1/public",
    "/api/v1/public/nothing?a=%E0%A4%A",
    "/api/v1/public/messages/",
    "/api/v1/public/messages/send/more",
    "/api/v1/public/TEMPLATES",
    "/api/v1/public/%00",
    "/api/v1/public/..%2ftemplates",
    "/api/v1//public/templates",
  ])("%s does not exist, counts on the IP limit, and needs no key", async (path) => {
    for (const [i, method] of ["GET", "POST", "DELETE"].entries()) {
      const answer = await answerTo(head(`${method} ${path}`, from(false)));
      expectError(answer, NOT_FOUND);
      expectRateHeaders(answer, counted(i));
    }
  });

  test("what is no path of ours does not exist and carries no limits", async () => {
    for (const path of ["/api", "/api/", "/api/nothing", "/api/v2/public/templates", "/api//health", "/api/health/x"]) {
      const answer = await answerTo(head(`GET ${path}`, from()));
      expectError(answer, NOT_FOUND);
      expect(answer.headers.get("ratelimit-limit")).toBeNull();
    }
  });
});

describe("405", () => {
  test.each([
    ...["GET", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].map((m) => [m, SEND, "POST"]),
    ...["POST", "OPTIONS", "PROPFIND"].map((m) => [m, TEMPLATES, "GET, HEAD"]),
    ["TRACE", "/api/v1/public/messages/msg_1", "GET, HEAD"],
  ])("%s %s says what is allowed and counts on the IP limit", async (method, path, allow) => {
    const answer = await answerTo(head(`${method} ${path}`, from(false)));
    expectError(answer, {
      status: 405,
      error: "METHOD_NOT_ALLOWED",
      message: `${method} is not allowed here. Use ${allow}.`,
      details: { allowed: allow?.split(", "), retryable: false },
    });
    expect(answer.headers.get("allow")).toBe(allow);
    expectRateHeaders(answer, counted());
  });

  test("outside the partner API it has the same shape", async () => {
    for (const [method, path, allow] of [
      ["TRACE", "/api/health", "GET, HEAD"],
      ["PUT", "/api/webhooks/whatsapp", "GET, HEAD, POST"],
    ]) {
      const answer = await answerTo(head(`${method} ${path}`, from()));
      expect([answer.status, answer.body.error]).toEqual([405, "METHOD_NOT_ALLOWED"]);
      expect(answer.headers.get("allow")).toBe(allow);
    }
  });

  test("a method of no server of ours is refused in our shape with Allow", async () => {
    for (const bytes of ["BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      const answer = await answerTo(bytes);
      const allowed = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
      expectError(answer, { status: 405, error: "METHOD_NOT_ALLOWED", details: { allowed, retryable: false } });
      expect(answer.headers.get("allow")).toContain("POST");
    }
  });
});

describe("HEAD", () => {
  test.each([
    [TEMPLATES, 200],
    ["/api/v1/public/messages/msg_1", 404],
    [SEND, 405],
    ["/api/v1/public/nothing", 404],
    ["/api/health", 200],
  ])("of %s has the headers of GET and no body", async (path, status) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(head(`HEAD ${path}`, from()));
    const answer = await connection.answer(true);
    expect(answer?.status).toBe(status);
    if (answer) expectApiHeaders(answer);
    connection.write(head("GET /api/health"));
    expect((await connection.answer())?.body).toMatchObject({ status: "ok" });
    connection.end();
  });
});

describe("paths", () => {
  test("a slash at the end, an empty query and dots in it make no other list", async () => {
    for (const path of [
      `${TEMPLATES}/`,
      `${TEMPLATES}?`,
      `${TEMPLATES}?limit=5`,
      "/api/v1/public/../public/templates",
    ]) {
      const answer = await answerTo(head(`GET ${path}`, from()));
      expect(answer.status, answer.text).toBe(200);
    }
  });

  test("a send with a trailing slash is a send, not a redirect that drops its body", async () => {
    const answer = await workspace.call("POST", `${SEND}/`, { rawBody: TEXT });
    expect(answer.status, answer.text).toBe(201);
  });

  test("a broken percent-encoding is a 400 that counts on the IP limit", async () => {
    for (const [i, path] of ["%", "messages/%E0%A4%A", "messages/%ED%A0%80"].entries()) {
      const answer = await answerTo(head(`GET /api/v1/public/${path}`, from()));
      expectError(answer, INVALID);
      expectRateHeaders(answer, counted(i));
    }
  });

  test("a broken percent-encoding outside the partner API and the API has the same shape", async () => {
    for (const path of ["/api/%", "/%E0%A4%A"]) expectError(await answerTo(head(`GET ${path}`)), INVALID);
  });

  test("a whole address in the request line is its path, and its made-up host is never named", async () => {
    const answer = await answerTo(head(`GET http://evil.test${TEMPLATES}`, { Host: "evil.test", ...from() }));
    expect(answer.status, answer.text).toBe(200);
    const unknown = await rawRequest(workspace.baseUrl, head("GET http://evil.test", { Host: "evil.test" }));
    expect(unknown?.headers.get("location") ?? "").not.toContain("evil");
    const asterisk = await rawRequest(workspace.baseUrl, head("OPTIONS *"));
    expect([asterisk?.status, asterisk?.body.error]).toEqual([400, "VALIDATION_ERROR"]);
  });
});

describe("made-up headers", () => {
  test("a Host or X-Forwarded-Host of the caller's changes neither docsUrl nor anything else", async () => {
    const forged = {
      "X-Forwarded-Host": "evil.test",
      "X-Forwarded-Proto": "javascript",
      "X-Forwarded-Port": "1",
      Forwarded: "host=evil.test",
      "X-Original-URL": "/evil",
      "X-Rewrite-URL": "/evil",
      "X-HTTP-Method-Override": "DELETE",
      "X-Middleware-Subrequest": "proxy:proxy:proxy:proxy:proxy",
      "X-Switchboard-Socket-Address": "10.1.1.1",
      "X-Switchboard-Refusal": "evil",
      "X-Switchboard-Method": "DELETE",
    };
    const honest = await rawRequest(workspace.baseUrl, head(`GET ${TEMPLATES}`, from(false)));
    for (const Host of ["evil.test", "evil.test:1", "[::1]:9", "127.0.0.1"]) {
      const answer = await rawRequest(workspace.baseUrl, head(`GET ${TEMPLATES}`, { Host, ...forged, ...from(false) }));
      expect(answer?.status, `${Host} ${answer?.text}`).toBe(401);
      expect(answer?.body.details.docsUrl).toBe(honest?.body.details.docsUrl);
      expect(answer?.text).not.toContain("evil");
    }
    expect(honest?.body.details.docsUrl).toBe(`${workspace.baseUrl}/docs/errors/UNAUTHORIZED`);
  });

  test("the framework's own headers make no redirect of an API call", async () => {
    const own = { RSC: "1", "Next-Router-State-Tree": "x", "Next-Router-Prefetch": "1", "Next-Action": "x" };
    const answers = [
      await workspace.call("GET", TEMPLATES, { headers: own }),
      await workspace.call("POST", SEND, { headers: own, rawBody: TEXT }),
      await workspace.call("GET", "/api/health", { headers: own }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
    for (const answer of answers) expectApiHeaders(answer);
  });

  test("an error's name that no header can hold is not one of ours", async () => {
    for (const query of ["", "?error=%00", "?error=%0d%0aX:y", "?error=AccessDenied"]) {
      const answer = await workspace.call("GET", `/api/auth/error${query}`);
      const word = query.endsWith("AccessDenied") ? "AccessDenied" : "Default";
      expect([answer.status, answer.headers.get("location")]).toEqual([302, `/sign-in?error=${word}`]);
    }
  });

  test("of several errors in one address the first counts, for us and for next-auth", async () => {
    const answer = await workspace.call("GET", "/api/auth/error?error=AccessDenied&error=%00");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/sign-in?error=AccessDenied"]);
  });

  test("a NUL in the address of a page is 400, before anything is looked up by it", async () => {
    const { baseUrl, owner, workspaceId, apiKey, apiSecret } = workspace;
    const cookie = await signIn(owner);
    const lists = ["messages", "requests", "templates", "contacts", "phone-numbers", "settings/api-keys"];
    const addresses = lists.flatMap((list) => [`/dashboard/${list}/%00`, `/dashboard/${list}?id=a%00b`]);
    for (const address of [...addresses, "/invite/%00", "/docs/errors/%00", "/none/%00"]) {
      const answer = await request("GET", `${baseUrl}${address}`, { headers: { cookie } });
      expect([answer.status, answer.body.error], address).toEqual([400, "VALIDATION_ERROR"]);
    }
    const own = `/api/v1/workspaces/${workspaceId}`;
    for (const address of [
      "/api/v1/workspaces/%00/usage",
      `${own}/messages/by-key?key=%00`,
      `${own}/messages/newer?after=%00`,
      `${own}/search?q=%00`,
      `${own}/messages/export?q=%00&status=%00`,
      `${own}/audit-log?actor=%00&before=%00`,
      "/api/v1/public/messages/%00",
      "/api/v1/public/templates?name=%00",
    ]) {
      const answer = await request("GET", `${baseUrl}${address}`, { headers: { cookie, apiKey, apiSecret } });
      expect(answer.status, address).toBeLessThan(500);
    }
  });

  test("no method of any route of the API's process is a 5xx", async () => {
    const { baseUrl } = workspace;
    const others = ["/api/webhooks/whatsapp", "/api/sandbox/v25.0/1", "/api/cron/sweep", "/api/nothing"];
    for (const path of [SEND, TEMPLATES, ...others]) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
        const answer = await rawRequest(baseUrl, head(`${method} ${path}`, { "Content-Length": "0" }));
        expect(answer?.status, `${method} ${path}`).toBeLessThan(500);
      }
    }
  });
});

test("every answer carries the headers of the API", async () => {
  for (const path of ["health", "auth/csrf", "auth/nothing", "cron/sweep", "webhooks/whatsapp"]) {
    expectApiHeaders(await workspace.call("GET", `/api/${path}`));
  }
  const answers = [
    await workspace.call("GET", TEMPLATES),
    await workspace.call("POST", SEND, { rawBody: TEXT }),
    await workspace.call("POST", SEND, { rawBody: "{" }),
    await workspace.call("GET", TEMPLATES, { key: null, headers: { "x-request-id": "mine" } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 401]);
  for (const answer of answers) expectApiHeaders(answer);
  expect((await fetch(answers[3]?.body.details.docsUrl ?? "")).status).toBe(200);
});
