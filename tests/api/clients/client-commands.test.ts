import { createServer } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TEST_RECIPIENTS } from "@/lib/sandbox/recipients";
import { TRIGGERS } from "../../../clients/typescript/src/cli/trigger";
import { freePort } from "../../../scripts/ports.mjs";
import { listenOnLoopback } from "../../support/loopback";
import { fromOwnAddress } from "../../support/own-address";
import { addEndpoint, startReceiver, verified } from "../../support/receiver";
import { type Ended, runToEnd, startAny } from "../../support/run-to-end";
import { WEBHOOK_SECRET, WEBHOOK_VECTORS } from "../../support/webhook-vectors";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

vi.setConfig({ testTimeout: 60_000 });

type Env = Record<string, string>;

const MAIN = ["node_modules/tsx/dist/cli.mjs", "clients/typescript/src/cli/main.ts"];
const cli = (words: string[], env: Env = {}): Promise<Ended> =>
  runToEnd([process.execPath, ...MAIN, ...words], { env });

const partner = async (workspace: TestWorkspace): Promise<Env> => {
  const { url, close } = await fromOwnAddress(workspace);
  onTestFinished(close);
  return { CHAT_API_KEY: workspace.apiKey, CHAT_API_SECRET: workspace.apiSecret, CHAT_API_URL: url };
};

describe("trigger", () => {
  test("has a recipient for each event that ends in it, as the sandbox's table says", () => {
    const endOf = (phone: string) => {
      const behaviour = TEST_RECIPIENTS.find((one) => one.phone === phone)?.behaviour;
      return behaviour?.answer.kind === "accepted" ? behaviour.steps.at(-1)?.status : "unknown";
    };
    for (const [event, { phone }] of Object.entries(TRIGGERS)) expect(`message.${endOf(phone)}`).toBe(event);
  });

  test.each(Object.keys(TRIGGERS))("%s reaches the endpoint, and the message is printed", async (event) => {
    const receiver = await startReceiver();
    onTestFinished(receiver.stop);
    const workspace = await provisionWorkspace({ mode: "test" });
    const { secret } = await addEndpoint(workspace, receiver);
    const { exitCode, stdout, stderr } = await cli(["trigger", event], await partner(workspace));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const message = JSON.parse(stdout);
    expect(`message.${message.status.toLowerCase()}`).toBe(event);
    await expect.poll(() => receiver.eventsOf(message.id).at(-1)?.type, { timeout: 10_000 }).toBe(event);
    for (const delivery of receiver.received) expect(verified(delivery, secret)).toEqual(delivery.event);
  });

  test("sends nothing with a live key, or for an event that no message causes", async () => {
    const workspace = await provisionWorkspace({ mode: "live" });
    const live = await cli(["trigger", "message.read"], await partner(workspace));
    expect(live.exitCode).toBe(2);
    expect(live.stderr).toContain("CHAT_API_KEY must be a test key");
    const template = await cli(["trigger", "template.approved"], await partner(workspace));
    expect(template.exitCode).toBe(2);
    expect(template.stderr).toContain("“Send test event”");
  });
});

/** Starts `listen`, and resolves once it does. */
const startListening = async (words: string[] = [], secret = WEBHOOK_SECRET) => {
  const port = await freePort();
  const command = [process.execPath, ...MAIN, "listen", "--port", `${port}`, ...words];
  const child = startAny(command, { env: { WEBHOOK_SECRET: secret } });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name]?.on("data", (text) => (printed[name] += text));
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitFor(() => expect(printed.stderr).toContain("Listening at"), { timeout: 20_000, interval: 50 });
  return { url: `http://localhost:${port}`, printed, end: () => child.kill("SIGINT") && exited };
};

describe("listen", () => {
  test("forwards a test endpoint's deliveries as they came, and the gateway sees the response of the program behind", async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(202).end("stored"));
    onTestFinished(receiver.stop);
    const workspace = await provisionWorkspace({ mode: "test" });
    const port = await freePort();
    const { secret } = await addEndpoint(workspace, { url: `http://localhost:${port}` });
    const listening = await startListening(["--port", `${port}`, "--forward-to", receiver.url], secret);
    const { id } = (await workspace.send({ type: "text", phone: "447700900003", content: "Hi" })).body.data;
    const types = ["message.sent", "message.delivered", "message.read"];
    await expect.poll(() => receiver.eventsOf(id).map(({ type }) => type), { timeout: 20_000 }).toEqual(types);
    for (const delivery of receiver.received) expect(verified(delivery, secret)).toEqual(delivery.event);
    const linesOf = () => listening.printed.stdout.trim().split("\n");
    await expect.poll(() => linesOf().length).toBe(3);
    expect(linesOf().map((line) => JSON.parse(line))).toEqual(
      types.map((type, i) => expect.objectContaining({ type, id, sequence: i + 1, status: 202 })),
    );
    expect(await listening.end()).toBe(0);
  });

  test("responds 204 without a program behind, and 400 to a delivery whose signature is not the endpoint's", async () => {
    const { url, printed, end } = await startListening();
    const [{ body, headers } = { body: "", headers: {} }] = WEBHOOK_VECTORS;
    const post = async (content: string) => (await fetch(url, { method: "POST", body: content, headers })).status;
    expect([await post(body), await post(`${body} `)]).toEqual([204, 400]);
    expect(printed.stdout.trim().split("\n")).toHaveLength(1);
    expect(printed.stderr).toContain("A delivery was refused: No signature of the webhook matches");
    expect((await fetch(url)).status).toBe(405);
    const large = await fetch(url, { method: "POST", body: "x".repeat(2 * 1024 * 1024), headers }).catch(() => null);
    expect(large?.status ?? 413).toBe(413);
    expect(await end()).toBe(0);
  });

  test("responds 502 where the program behind cannot be reached, so that the gateway tries again", async () => {
    const closed = `http://localhost:${await freePort()}/hook`;
    const { url, printed } = await startListening(["--forward-to", closed]);
    const [{ body, headers } = { body: "", headers: {} }] = WEBHOOK_VECTORS;
    const response = await fetch(url, { method: "POST", body, headers });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("could not be reached (ECONNREFUSED)");
    expect(JSON.parse(printed.stdout)).toMatchObject({ status: 502 });
  });

  test("says what is missing, and keeps the secret to itself", async () => {
    const without = await cli(["listen"]);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toContain("WEBHOOK_SECRET is required in the environment.");
    for (const secret of ["sk_something-else", "whsec_", "whsec_••••"]) {
      const wrong = await cli(["listen"], { WEBHOOK_SECRET: secret });
      expect(wrong.stderr).toContain("WEBHOOK_SECRET must be the endpoint's secret, whsec_ and base64.");
      expect(wrong.stderr).not.toContain("something-else");
    }
  });
});

const findingsOf = async (env: Env) => {
  const { exitCode, stdout } = await cli(["doctor", "--json"], env);
  const findings: { name: string; state: string; message: string }[] = JSON.parse(stdout);
  return { exitCode, findings, bad: findings.filter(({ state }) => state === "failed").map(({ name }) => name) };
};

describe("doctor", () => {
  test("finds a working key well: health, clock, templates and the requests that are left", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const env = await partner(workspace);
    const { exitCode, findings, bad } = await findingsOf(env);
    expect({ exitCode, bad }).toEqual({ exitCode: 0, bad: [] });
    expect(findings.map(({ name }) => name)).toEqual([
      ...[
        "Node",
        "CHAT_API_KEY",
        "CHAT_API_SECRET",
        "CHAT_API_URL",
        "Gateway",
        "Clock",
        "Key",
        "Templates",
        "Requests",
      ],
    ]);
    expect(findings.at(-1)?.message).toMatch(/^\d+ of \d+ are left in this 15-minute window; it ends in \d+ s\.$/);
    const printed = await cli(["doctor"], env);
    expect(printed.stdout).toMatch(/^ok {4}Node: /);
    expect(printed.stdout + printed.stderr).not.toContain(env.CHAT_API_SECRET);
  });

  test("names what is wrong with the variables, and calls no server with them", async () => {
    const swapped = await findingsOf({ CHAT_API_KEY: "sk_1", CHAT_API_SECRET: "pk_test_1", CHAT_API_URL: "example" });
    expect(swapped).toMatchObject({ exitCode: 1, bad: ["CHAT_API_KEY", "CHAT_API_SECRET", "CHAT_API_URL"] });
    expect((await findingsOf({})).bad).toEqual(expect.arrayContaining(["CHAT_API_KEY", "CHAT_API_SECRET"]));
  });

  test("distinguishes a wrong pair from a gateway that is not there, is another program, or redirects", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
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

  test("says that the clock is wrong where signatures would be refused", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
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
