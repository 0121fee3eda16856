import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { SERVER } from "../../scripts/server-process.mjs";
import { builtActions, MULTIPART, multipart } from "../support/actions";
import { ENDINGS, hangUp, stagesOf } from "../support/hang-ups";
import { openSockets } from "../support/open-sockets";
import { type Program, serverEnvironment, startProgram } from "../support/programs";
import { head, rawRequest } from "../support/raw-http";
import { PHONE } from "../support/sends";
import { signIn } from "../support/session";
import { signatureOf } from "../support/webhooks";
import { provisionWorkspace, statusWebhook, type TestWorkspace } from "../support/workspace";

const AT_ONCE = 24;

let server: Program;
let port: number;
let kinds: Record<string, string>;

const startServer = async () => {
  const ownPort = await freePort();
  const APP_URL = `http://localhost:${ownPort}`;
  const limits = { PUBLIC_API_IP_RATE_LIMIT: "1000000", PUBLIC_API_KEY_RATE_LIMIT: "1000000" };
  const started = startProgram(SERVER, serverEnvironment({ PORT: `${ownPort}`, APP_URL, ...limits }));
  await started.says("ready on");
  return { server: started, port: ownPort, origin: APP_URL };
};

beforeAll(async () => {
  const started = await startServer();
  ({ server, port } = started);
  const { origin } = started;
  const workspace = await provisionWorkspace();
  kinds = kindsOfRequests(workspace, await signIn(workspace.owner), origin);
});
afterAll(async () => {
  server.signal("SIGKILL");
  await server.exited;
});

const kindsOfRequests = (workspace: TestWorkspace, cookie: string, Origin: string): Record<string, string> => {
  const { apiKey, apiSecret } = workspace;
  const withBody = (line: string, body: string, headers: Record<string, string> = {}) =>
    `${head(line, { "Content-Length": `${Buffer.byteLength(body)}`, ...headers })}${body}`;
  const send = withBody(
    "POST /api/v1/public/messages/send",
    JSON.stringify({ type: "text", phone: PHONE, content: "Hi" }),
    { apiKey, apiSecret, "Content-Type": "application/json" },
  );
  const webhook = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.NONE", status: "read" }]));
  const actions = builtActions();
  const id = (name: string) => actions[name] ?? expect.fail(name);
  const call = (path: string, name: string, body = multipart([["0", '[null,"$K1"]']]), more = {}) =>
    withBody(`POST ${path}`, body, { Origin, "Next-Action": id(name), "Content-Type": MULTIPART, ...more });
  const signUp = "app/sign-up/actions.ts#signUp";
  const signOut = "app/dashboard/actions.ts#signOut";
  const plainForm = multipart([[`$ACTION_ID_${id(signUp)}`, ""]]);
  const text = { "Content-Type": "text/plain" };
  const rsc = { RSC: "1", Cookie: cookie };
  return {
    "a send": send,
    "a send in chunks": `${head("POST /api/v1/public/messages/send", { apiKey, apiSecret, "Transfer-Encoding": "chunked" })}2\r\n{}\r\n0\r\n\r\n`,
    "a send that waits for 100 Continue": send.replace("\r\n", "\r\nExpect: 100-continue\r\n"),
    "a refused send": withBody("POST /api/v1/public/messages/send", "{}"),
    "a status": head("GET /api/v1/public/messages/msg_1", { apiKey, apiSecret }),
    "the templates": head("GET /api/v1/public/templates", { apiKey, apiSecret }),
    "a signed webhook": withBody("POST /api/webhooks/whatsapp", webhook, {
      "X-Hub-Signature-256": signatureOf(webhook),
    }),
    "an unsigned webhook": withBody("POST /api/webhooks/whatsapp", webhook),
    "a call of the sandbox": withBody("POST /api/sandbox/v25.0/1/messages", "{}"),
    "the health check": head("GET /api/health"),
    "the sweep": head("POST /api/cron/sweep"),
    "an unknown path of the API": withBody("PUT /api/nothing", "{}"),
    "a route of the dashboard": head(`GET /api/v1/workspaces/${workspace.workspaceId}/phone-numbers`, {
      Cookie: cookie,
    }),
    "an export": head(`GET /api/v1/workspaces/${workspace.workspaceId}/messages/export`, { Cookie: cookie }),
    "the sign-in's token": head("GET /api/auth/csrf"),
    "a sign-in": withBody("POST /api/auth/callback/credentials", "email=a%40example.test&password=b"),
    "a page": head("GET /docs/quickstart"),
    "a private page": head("GET /dashboard", { Cookie: cookie }),
    "a private page without its session": head("GET /dashboard"),
    "a page's data": head("GET /dashboard/messages", rsc),
    "a page that does not exist": head("GET /no-such-page"),
    "a foreign form": withBody("POST /docs", "x=1"),
    "a form of ours without an action": withBody("POST /docs", "x=1", { Origin }),
    "a method that no page has": withBody("PUT /docs", "x=1"),
    "a signed-out call of an action": call("/sign-up", signUp),
    "a call of an action": call("/dashboard", signOut, undefined, { Cookie: cookie }),
    "a call of another page's action": call("/docs", signUp),
    "a call without a form": call("/sign-up", signUp, "[]", text),
    "a broken call": call("/sign-up", signUp, "[", text),
    "a form before its script": withBody("POST /sign-up", plainForm, { Origin, "Content-Type": MULTIPART }),
    "a call of a file": call("/samples/chair.png", signUp),
    "a broken call of a file that does not exist": call("/samples/x", signUp, "[", text),
    "a broken call of a path like a file's": call("/icon.svgx", signUp, "[", text),
    "a call of a built file": call("/_next/static/x.js", signUp, "[", text),
    "a picture": head("GET /samples/chair.png"),
    "the icon": head("GET /icon.svg"),
    "the schema": head("GET /openapi.json"),
    "a page as Markdown": head("GET /docs.md"),
    "a tunnel": head("CONNECT example.test:443"),
    "an offer of another protocol": head("GET /docs", { Connection: "Upgrade", Upgrade: "websocket" }),
    "an unknown method": head("BREW /"),
    "a rare method": withBody("PROPFIND /api/health", "{}"),
    "no HTTP": "\0\0\0\0 no HTTP at all\r\n\r\n",
    "an asterisk": head("OPTIONS *"),
    "a path with an empty part": head("GET //"),
    "a path that cannot be decoded": head("GET /%"),
    "no Host": "GET / HTTP/1.1\r\n\r\n",
    "a length beyond every cap": head("POST /docs", { "Content-Length": "99999999" }),
    "three in one packet": `${send}${head("GET /docs")}${head("GET /api/health")}`,
    "a send and garbage": `${send}\0\0`,
  };
};

/** All at once, as many as there are places. */
const each = async <T>(items: T[], act: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
};

const isWell = async () => {
  const tooLate = sleep(15_000).then(() => expect.fail("the health check has no answer after 15 s"));
  return (await Promise.race([rawRequest(`http://localhost:${port}`, head("GET /api/health")), tooLate]))?.status;
};

/**
 * A warning is a fault that was handled, such as a page that was rendered without its cache on a busy machine;
 * a 503, or a page, is one whose database answered too late for it.
 */
const faults = () =>
  `${server.said.stdout}${server.said.stderr}`
    .split("\n")
    .filter(
      (line) =>
        !line.startsWith("{") ||
        !/"level":"(info|warn)"|"status":503|"page.failed".*(DatabaseUnavailable|CONNECTION_DESTROYED)/.test(line),
    )
    .filter((line) => /"level":"error"|^\s+at |Error\b(?!_)/.test(line));

describe("a client that hangs up", () => {
  test("at any moment of any request ends nothing but its own request", async () => {
    const hangUps = Object.values(kinds).flatMap((bytes) =>
      stagesOf(bytes).flatMap((stage) => ENDINGS.map((ending) => ({ ...stage, ending }))),
    );
    expect(hangUps.length).toBeGreaterThan(1_000);
    await each(hangUps, (one) => hangUp(port, one));
    expect(await isWell()).toBe(200);
    expect(faults()).toEqual([]);
  }, 120_000);

  test("within 60 ms of a whole POST or PUT, or of a tunnel, the server lives on", async () => {
    const moments = Array.from({ length: 61 }, (_, after) => after);
    const named = ["a foreign form", "a method that no page has", "a broken call of a file that does not exist"];
    const hangUps = [...named, "a broken call of a path like a file's", "a tunnel", "a call of an action"].flatMap(
      (name) =>
        moments.flatMap((after) =>
          (["rst", "close"] as const).map((ending) => ({ bytes: kinds[name] ?? "", after, ending })),
        ),
    );
    await each(hangUps, (one) => hangUp(port, one));
    expect(await isWell()).toBe(200);
    expect(faults()).toEqual([]);
  });

  test("leaves no connection behind, nor one that only its client keeps half open", async () => {
    const refused = ["a tunnel", "no HTTP", "no Host", "an unknown method"];
    const sockets = refused.map((name) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => {});
      socket.write(Buffer.from(kinds[name] ?? "", "latin1"));
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    await expect.poll(() => openSockets(server.pid, port) ?? 0, { timeout: 12_000 }).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  test("is not waited for at SIGTERM", async () => {
    // One of its own, and nothing for which the page process asks its own server: that would be waited for.
    const own = await startServer();
    const bytes = [kinds["a send"] ?? "", kinds["a picture"] ?? "", head("GET /sign-in")];
    const hangUps = [...bytes, ...bytes, ...bytes].map((one) => ({ bytes: one, after: 5, ending: "rst" as const }));
    await Promise.all(hangUps.map((one) => hangUp(own.port, one)));
    await expect.poll(() => openSockets(own.server.pid, own.port) ?? 0, { timeout: 12_000 }).toBe(0);
    // Node tells a connection's end a turn after the system does.
    await sleep(200);
    own.server.signal("SIGTERM");
    // A server that waits for one exits after 30 s, with 1.
    expect(await own.server.exited).toBe(0);
  });
});
