import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, vi } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { deleteEndpoint, sendTestEvent } from "@/lib/outgoing/change-endpoint";
import { TEST_RECIPIENTS } from "@/lib/sandbox/recipients";
import { command } from "@/lib/workspaces/record-audit";
import { TRIGGERS } from "../../../clients/typescript/src/cli/trigger";
import { freePort } from "../../../scripts/ports.mjs";
import { CLIENT } from "../../support/compile-commands";
import { testServers } from "../../support/environment";
import { listenOnLoopback } from "../../support/loopback";
import { fromOwnAddress } from "../../support/own-address";
import { addEndpoint, receiverOfTest, verified } from "../../support/receiver";
import { sql } from "../../support/rows";
import { noteSecrets } from "../../support/run-logs";
import { type Ended, runToEnd, startAny } from "../../support/run-to-end";
import { testIn } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const test = testIn({ mode: "test" });
type Env = Record<string, string>;

const PROGRAM = path.join(testServers().commands, `${CLIENT}.js`);
const cli = (words: string[], env: Env = {}): Promise<Ended> =>
  runToEnd([process.execPath, PROGRAM, ...words], { env });

async function partner(workspace: TestWorkspace): Promise<Env> {
  const { url, close } = await fromOwnAddress(workspace);
  onTestFinished(close);
  return { CHAT_API_KEY: workspace.apiKey, CHAT_API_SECRET: workspace.apiSecret, CHAT_API_URL: url };
}

describe("the command line", () => {
  test("prints its version and its help on standard output, and a wrong command line on standard error", async () => {
    const { version } = JSON.parse(readFileSync("clients/typescript/package.json", "utf8"));
    expect(await cli(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
    for (const words of [["--help"], ["send", "--help"], ["listen", "--help"], ["doctor", "--help"]]) {
      const helped = await cli(words);
      expect(helped).toMatchObject({ exitCode: 0, stderr: "" });
      expect(helped.stdout).toMatch(/^Usage: npx --no -- switchboard-client /);
    }
    for (const [words, says] of [
      [[], ""],
      [["fly"], "Unknown command: fly.\n\n"],
      [["snd"], "Unknown command: snd. Did you mean send?\n\n"],
      [["doctor", "now"], 'Unexpected argument "now".\n\n'],
    ] as const) {
      const refused = await cli([...words]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(`${says}Usage: `) });
    }
  });

  test("says of a send to a gateway that is not there that it was not sent", async () => {
    const CHAT_API_URL = `http://127.0.0.1:${await freePort()}`;
    const key = { CHAT_API_KEY: "pk_test_x", CHAT_API_SECRET: "sk_test_x", CHAT_API_URL };
    const refused = await cli(["send", "--to", "447700900003", "--text", "Hi"], key);
    expect(refused).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `${CHAT_API_URL}: it could not be reached (ECONNREFUSED)\nIt was not sent.\n`,
    });
  });

  test("calls the gateway that it was installed from, but not a mirror of its file", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-installed-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const installed = path.join(folder, "node_modules/switchboard-client/dist/cli");
    cpSync(path.dirname(PROGRAM), installed, { recursive: true });
    writeFileSync(path.join(installed, "package.json"), '{ "type": "module" }');
    const gateway = "https://messages.example.com";
    for (const [address, origin] of [
      [`${gateway}/docs/switchboard-client-0.4.5.tgz`, gateway],
      ["https://mirror.example.com/npm/switchboard-client-0.4.5.tgz", "http://localhost:3000"],
      ["file:switchboard-client-0.4.5.tgz", "http://localhost:3000"],
    ]) {
      const manifest = JSON.stringify({ dependencies: { "switchboard-client": address } });
      writeFileSync(path.join(folder, "package.json"), manifest);
      const { stdout } = await runToEnd([process.execPath, path.join(installed, `${CLIENT}.js`), "send", "--help"], {});
      expect(stdout).toContain(`(${origin} unless\nset)`);
    }
  });

  test("ends with 1 where a message that it watches fails, and with 0 where it is read", async ({ workspace }) => {
    const env = await partner(workspace);
    const send = (phone: string) => cli(["send", "--to", phone, "--text", "Hi", "--watch"], env);
    const [failed, read] = await Promise.all([send("447700900126"), send("447700900003")]);
    const lastOf = ({ stdout }: Ended) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect([failed.exitCode, lastOf(failed).status]).toEqual([1, "FAILED"]);
    expect([read.exitCode, lastOf(read).status]).toEqual([0, "READ"]);
    const again = await cli(["status", lastOf(failed).id, "--watch"], env);
    expect([again.exitCode, lastOf(again).status]).toEqual([1, "FAILED"]);
    expect((await cli(["status", lastOf(failed).id], env)).exitCode).toBe(0);
  });
});

describe("trigger", () => {
  test("has a recipient for each event that ends in it, as the sandbox's table says", () => {
    const reactions = { writes: "message.received", stop: "contact.opted_out", resume: "contact.opted_in" };
    const endOf = (phone: string) => {
      const { answer, steps, reaction } = TEST_RECIPIENTS.find((one) => one.phone === phone)?.behaviour ?? {};
      const status = answer?.kind === "accepted" ? (steps?.at(-1)?.status ?? "") : "unknown";
      const event = reaction && reaction !== "chooses" ? reactions[reaction] : `message.${status}`;
      return { event, ends: status.toUpperCase() };
    };
    for (const [event, { phone, ends }] of Object.entries(TRIGGERS)) expect(endOf(phone)).toEqual({ event, ends });
  });

  test("reaches the endpoint with each event, and prints its message", async ({ workspace }) => {
    const receiver = await receiverOfTest();
    const { secret } = await addEndpoint(workspace, receiver);
    const env = await partner(workspace);
    /** A status is of the message that was sent; what its recipient does is about the recipient. */
    const last = (event: string, id: string) =>
      event === "message.received" || event.startsWith("contact.")
        ? receiver.received.find((delivery) => delivery.event.type === event)?.event.type
        : receiver.eventsOf(id).at(-1)?.type;
    await Promise.all(
      Object.entries(TRIGGERS).map(async ([event, { ends }]) => {
        const { exitCode, stdout, stderr } = await cli(["trigger", event], env);
        expect({ exitCode, stderr }, event).toEqual({ exitCode: 0, stderr: "" });
        const { id, status } = JSON.parse(stdout);
        expect(status).toBe(ends);
        await expect.poll(() => last(event, id), { timeout: 20_000 }).toBe(event);
        // What the recipient does is about the recipient: it may overtake the message's own events.
        await expect.poll(() => receiver.eventsOf(id).at(-1)?.data.status, { timeout: 20_000 }).toBe(status);
      }),
    );
    for (const delivery of receiver.received) expect(verified(delivery, secret)).toEqual(delivery.event);
  });

  test("sends nothing with a live key, or for an event that no message causes", async ({ other }) => {
    const live = await cli(["trigger", "message.read"], await partner(other));
    expect(live.exitCode).toBe(2);
    expect(live.stderr).toContain("CHAT_API_KEY must be a test key");
    const template = await cli(["trigger", "template.approved"], await partner(other));
    expect(template.exitCode).toBe(2);
    expect(template.stderr).toContain("“Send test event”");
  });
});

/** Starts `listen`, and resolves once it does. */
async function startListening(env: Env, words: string[] = []) {
  const child = startAny([process.execPath, PROGRAM, "listen", ...words], { env });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name]?.on("data", (text) => (printed[name] += text));
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitFor(() => expect(printed.stderr).toContain("WEBHOOK_SECRET="), { timeout: 20_000, interval: 50 });
  const secret = /WEBHOOK_SECRET=(whsec_\S+)$/m.exec(printed.stderr)?.[1] ?? "";
  noteSecrets("a webhook secret", [secret]);
  const lines = () =>
    printed.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { child, secret, printed, lines, exited, end: () => child.kill("SIGINT") && exited };
}

const TYPES = ["message.sent", "message.delivered", "message.read"];
const sendToRead = async (workspace: TestWorkspace): Promise<string> =>
  (await workspace.send({ type: "text", phone: "447700900003", content: "Hi" })).body.data.id;
const listenersOf = ({ workspaceId }: TestWorkspace) => sql<{ id: string }[]>`
  select id from webhook_endpoints where workspace_id = ${workspaceId} and listens_until is not null and deleted_at is null`;

type GatewayState = "there" | "away" | "silent" | "refusing";

/** The gateway behind a door that can be closed in three ways. */
async function startGateway(workspace: TestWorkspace) {
  const env = await partner(workspace);
  let state: GatewayState = "there";
  let asked = 0;
  const refusal = {
    error: "RATE_LIMIT_EXCEEDED",
    message: "Too many.",
    details: { retryable: true, retryAfterSeconds: 600 },
  };
  const { url, close } = await listenOnLoopback(
    createServer(async (request, response) => {
      asked += 1;
      if (state === "away") return void request.socket.destroy();
      if (state === "silent") return;
      if (state === "refusing") return void response.writeHead(429).end(JSON.stringify(refusal));
      const { method = "GET", headers } = request;
      const { apikey = "", apisecret = "" } = headers;
      const body = Buffer.concat(await request.toArray());
      const named = { apikey: `${apikey}`, apisecret: `${apisecret}`, "content-type": "application/json" };
      const answer = await fetch(`${env.CHAT_API_URL}${request.url}`, { method, headers: named, body });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    }),
  );
  onTestFinished(close);
  const become = (next: GatewayState) => {
    [state, asked] = [next, 0];
  };
  return { env: { ...env, CHAT_API_URL: url }, become, asked: () => asked };
}

function* endless() {
  for (;;) yield "x".repeat(65_536);
}

describe("listen", () => {
  test("forwards the events of test mode, signed with the secret that it prints; the gateway stores the program's responses", async ({
    workspace,
  }) => {
    const receiver = await receiverOfTest((_, response) => response.writeHead(202).end("stored"));
    const listening = await startListening(await partner(workspace), ["--forward-to", receiver.url]);
    const id = await sendToRead(workspace);
    await expect.poll(() => receiver.eventsOf(id).map(({ type }) => type), { timeout: 20_000 }).toEqual(TYPES);
    for (const delivery of receiver.received) expect(verified(delivery, listening.secret)).toEqual(delivery.event);
    await expect
      .poll(listening.lines)
      .toEqual(TYPES.map((type, i) => expect.objectContaining({ type, id, sequence: i + 1, status: 202 })));
    expect(await listening.end()).toBe(0);
    const attempts = await sql`
      select d.state, a.status_code, a.response from webhook_attempts a
      join webhook_deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id where d.subject_id = ${id}`;
    expect(attempts.map((row) => ({ ...row }))).toEqual(
      TYPES.map(() => ({ state: "DELIVERED", status_code: 202, response: "stored" })),
    );
  });

  test("a response that no database can hold is stored as far as one can, and ends nothing", async ({ workspace }) => {
    const receiver = await receiverOfTest((_, response) =>
      response.writeHead(500, { "Retry-After": "\u00e9" }).end(Buffer.from([0, 0xff, 0xed, 0xa0, 0x80, 0x41])),
    );
    const { lines } = await startListening(await partner(workspace), ["--forward-to", receiver.url]);
    const id = await sendToRead(workspace);
    await expect.poll(() => lines()[0]?.status, { timeout: 20_000 }).toBe(500);
    const stored = () => sql<{ response: string }[]>`
      select a.response from webhook_attempts a
      join webhook_deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id where d.subject_id = ${id}`;
    await expect.poll(async () => (await stored())[0]?.response, { timeout: 10_000 }).toMatch(/^\ufffd+A$/);
  });

  test("survives a program with an odd status, without end, with a cut one, an unasked 100 or 101 or no response; each is what it would be at a server", async () => {
    const answers: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(999).end("odd"),
      (response) =>
        Readable.from(endless())
          .on("error", () => {})
          .pipe(response.writeHead(200)),
      (response) => {
        response.writeContinue();
        response.writeHead(202).end("on");
      },
      ({ socket }) => socket?.write("HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
      // Named longer than it is.
      (response) => response.writeHead(201, { "content-length": 100 }).write("cut", () => response.destroy()),
      () => undefined,
    ];
    const receiver = await receiverOfTest((_, response) => answers.shift()?.(response));
    const workspace = await provisionWorkspace({ mode: "test" });
    const host = `http://localhost:${receiver.port}`;
    const { end } = await startListening(await partner(workspace), ["--forward-to", host]);
    const [session] = await listenersOf(workspace);
    const stored = async (deliveryId: string) => {
      const [row] = await sql`
        select status_code, failure, left(response, 3) as response, length(response) as length from webhook_attempts
        where workspace_id = ${workspace.workspaceId} and delivery_id = ${deliveryId}`;
      return row && { ...row };
    };
    const send = () => sendTestEvent(provenWorkspaceId(workspace.workspaceId), session?.id ?? "");
    const expected = [
      { status_code: 999, failure: null, response: "odd", length: 3 },
      { status_code: 200, failure: null, response: "xxx", length: 4_096 },
      { status_code: 202, failure: null, response: "on", length: 2 },
      { status_code: 101, failure: null, response: "", length: 0 },
      { status_code: 201, failure: null, response: "cut", length: 3 },
      { status_code: null, failure: "No response within 15 s.", response: null, length: null },
    ];
    for (const attempt of expected) {
      const deliveryId = await send();
      await expect.poll(() => stored(deliveryId), { timeout: 25_000 }).toEqual(attempt);
      await sql`delete from webhook_deliveries where id = ${deliveryId}`;
    }
    expect(await end()).toBe(0);
  });

  test("prints the events where no program is behind it, and leaves no session when it ends", async ({ workspace }) => {
    const { lines, end } = await startListening(await partner(workspace));
    expect(await listenersOf(workspace)).toHaveLength(1);
    await sendToRead(workspace);
    await expect
      .poll(() => lines().map(({ type, status }) => [type, status]), { timeout: 20_000 })
      .toEqual(TYPES.map((type) => [type, 204]));
    expect(await end()).toBe(0);
    expect(await listenersOf(workspace)).toHaveLength(0);
  });

  test("a program that cannot be reached is a failure, which is retried until it is there", async ({ workspace }) => {
    const port = await freePort();
    const { lines } = await startListening(await partner(workspace), ["--forward-to", `http://127.0.0.1:${port}`]);
    const id = await sendToRead(workspace);
    await expect.poll(() => lines()[0]?.failure, { timeout: 20_000 }).toContain("could not be reached (ECONNREFUSED)");
    const receiver = await receiverOfTest(undefined, port);
    await expect.poll(() => receiver.eventsOf(id).map(({ type }) => type), { timeout: 30_000 }).toEqual(TYPES);
  });

  test("begins another session where its own has ended, and waits for an absent gateway", async ({ workspace }) => {
    const gateway = await startGateway(workspace);
    const { lines, printed, end } = await startListening(gateway.env);
    gateway.become("away");
    await expect.poll(() => printed.stderr, { timeout: 10_000 }).toContain("The gateway does not respond.");
    await sql`
        update webhook_endpoints set listens_until = now() - interval '1 second', deleted_at = now()
        where workspace_id = ${workspace.workspaceId}`;
    gateway.become("there");
    await expect.poll(() => printed.stderr, { timeout: 10_000 }).toContain("another one started");
    await expect.poll(async () => (await listenersOf(workspace)).length).toBe(1);
    await sendToRead(workspace);
    await expect.poll(() => lines().map(({ type }) => type), { timeout: 20_000 }).toEqual(TYPES);
    gateway.become("away");
    expect(await end()).toBe(0);
  });

  test.for(["silent", "refusing"] as const)(
    "ends at once by Ctrl+C while the gateway is %s",
    async (state, { workspace }) => {
      const gateway = await startGateway(workspace);
      const { child, end } = await startListening(gateway.env);
      gateway.become(state);
      await expect.poll(gateway.asked, { timeout: 10_000 }).toBeGreaterThan(0);
      void end();
      // One call alone would wait for 15 s, and Retry-After for 600.
      await expect.poll(() => child.exitCode, { timeout: 10_000 }).toBe(0);
    },
  );

  test("ends with the program that reads its output, and leaves no session", async ({ workspace }) => {
    const { child, exited } = await startListening(await partner(workspace));
    child.stdout?.destroy();
    await sendToRead(workspace);
    expect(await exited).toBe(0);
    expect(await listenersOf(workspace)).toHaveLength(0);
  });

  test("ends when a member deletes its session", async ({ workspace }) => {
    const { printed, exited } = await startListening(await partner(workspace));
    const [session] = await listenersOf(workspace);
    await deleteEndpoint(provenWorkspaceId(workspace.workspaceId), session?.id ?? "", command("test"));
    expect(await exited).toBe(1);
    expect(printed.stderr).toContain(
      "NOT_FOUND (404): This session of listen has ended: it was deleted in the dashboard.",
    );
    expect(await listenersOf(workspace)).toHaveLength(0);
  });

  test("says what is wrong, and keeps the secret to itself", async ({ workspace, other }) => {
    const live = await cli(["listen"], await partner(other));
    expect(live.exitCode).toBe(2);
    expect(live.stderr).toContain(
      "CHAT_API_KEY must be a test key (pk_test_…): listen receives the events of test mode.",
    );
    const env = await partner(workspace);
    const noUrl = await cli(["listen", "--forward-to", "localhost"], env);
    expect([noUrl.exitCode, noUrl.stderr.split("\n")[0]]).toEqual([
      2,
      "--forward-to must be a URL, such as http://localhost:3000/webhooks.",
    ]);
    const named = await cli(["listen", "--forward-to", "http://user:geheim@localhost/"], env);
    expect(named.stderr).toContain("--forward-to must not contain a user name or password.");
    expect(named.stderr).not.toContain("geheim");
    const wrong = await cli(["listen"], { ...env, CHAT_API_SECRET: "sk_something-else" });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("UNAUTHORIZED (401)");
    expect(wrong.stderr).not.toContain("something-else");
  });
});

async function findingsOf(env: Env) {
  const { exitCode, stdout } = await cli(["doctor", "--json"], env);
  const findings: { name: string; state: string; message: string }[] = JSON.parse(stdout);
  return { exitCode, findings, bad: findings.filter(({ state }) => state === "failed").map(({ name }) => name) };
}

describe("doctor", () => {
  test("finds a working key well: health, clock, templates and the requests that are left", async ({ workspace }) => {
    const env = await partner(workspace);
    const { exitCode, findings, bad } = await findingsOf(env);
    expect({ exitCode, bad }).toEqual({ exitCode: 0, bad: [] });
    expect(findings.map(({ name }) => name)).toEqual([
      ...["Node", "CHAT_API_KEY", "CHAT_API_SECRET", "CHAT_API_URL"],
      ...["Gateway", "Clock", "Key", "Templates", "Requests"],
    ]);
    expect(findings.at(-1)?.message).toMatch(/^\d+ of \d+ are left in this 15-minute window; it ends in \d+ s\.$/);
    const printed = await cli(["doctor"], env);
    expect(printed.stdout).toMatch(/^ok {4}Node: /);
    expect(printed.stdout + printed.stderr).not.toContain(env.CHAT_API_SECRET);
  });

  test("names what is wrong with the variables, and calls no server with them", async () => {
    const swapped = await findingsOf({ CHAT_API_KEY: "sk_1", CHAT_API_SECRET: "pk_test_1", CHAT_API_URL: "example" });
    expect(swapped).toMatchObject({ exitCode: 1, bad: ["CHAT_API_KEY", "CHAT_API_SECRET", "CHAT_API_URL"] });
    const masked = await findingsOf({ CHAT_API_KEY: "pk_test_…", CHAT_API_SECRET: "sk_test_•••" });
    expect(masked.bad).toEqual(expect.arrayContaining(["CHAT_API_KEY", "CHAT_API_SECRET"]));
    expect((await findingsOf({})).bad).toEqual(expect.arrayContaining(["CHAT_API_KEY", "CHAT_API_SECRET"]));
  });

  test("tells a wrong pair from a gateway that is not there, is another program, or redirects", async ({
    workspace,
  }) => {
    const env = await partner(workspace);
    const wrong = await findingsOf({ ...env, CHAT_API_SECRET: `sk_${"0".repeat(43)}` });
    expect(wrong).toMatchObject({ exitCode: 1, bad: ["Key"] });
    const closed = await findingsOf({ ...env, CHAT_API_URL: `http://127.0.0.1:${await freePort()}` });
    expect(closed.findings.at(-1)?.message).toContain("nothing listens there");
    for (const [status, words] of [
      [404, "is not a Switchboard gateway"],
      [308, "redirects (308)"],
      [503, "is not healthy (503)"],
    ] as const) {
      const asked: string[] = [];
      const other = await listenOnLoopback(
        createServer(({ url = "" }, response) => {
          asked.push(url);
          response.writeHead(status, { location: "https://example.com/" }).end();
        }),
      );
      const { findings, bad } = await findingsOf({ ...env, CHAT_API_URL: other.url });
      await other.close();
      expect(bad).toEqual(["Gateway"]);
      expect(findings.find(({ name }) => name === "Gateway")?.message).toContain(words);
      // The secret goes to no program that is not known to be the gateway.
      expect(asked).toEqual(["/api/health"]);
    }
  });

  test("says that the clock is wrong where signatures would be refused", async ({ workspace }) => {
    const late = await listenOnLoopback(
      createServer((_, response) => {
        response.writeHead(200, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end("{}");
      }),
    );
    const { bad } = await findingsOf({ ...(await partner(workspace)), CHAT_API_URL: late.url });
    await late.close();
    expect(bad).toEqual(["Clock"]);
  });
});
