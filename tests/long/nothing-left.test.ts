import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { forTest } from "../support/for-suite";
import { fresh, linked, PICTURE } from "../support/linked-pictures";
import { listenOnLoopback } from "../support/loopback";
import { whileLocked } from "../support/row-lock";
import { countMessages, expectError, expectSent, KEY, PHONE, sentBodies, TEXT, usedUnits } from "../support/sends";
import { type Answer, provisionWorkspace, request, scriptPlatform, type TestWorkspace } from "../support/workspace";

/** The path of a picture that the media host serves after a while. */
const slow = (ms: number) => fresh("/slow.png").replace("?", `?ms=${ms}&`);

const sendTo = (baseUrl: string, workspace: TestWorkspace, body: object, headers: Record<string, string>) =>
  request("POST", `${baseUrl}/api/v1/public/messages/send`, {
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      apiKey: workspace.apiKey,
      apiSecret: workspace.apiSecret,
      "x-forwarded-for": workspace.clientAddress,
      ...headers,
    },
  });

/** Nothing reached WhatsApp, the answer says so, and the same key sends the same row as soon as it can. */
const expectNotSent = async (workspace: TestWorkspace, answer: Answer, reason: RegExp, body: object = TEXT) => {
  expectError(answer, {
    status: 502,
    error: "CHAT_GRAPH_ERROR",
    message: expect.stringMatching(reason),
    details: {
      messageId: expect.stringMatching(/^msg_/),
      outcome: "not_sent",
      retryable: true,
      retryAfterSeconds: expect.any(Number),
    },
  });
  expect(await sentBodies(workspace)).toEqual([]);
  const { messageId = "" } = answer.body.details;
  expect((await workspace.status(messageId)).body.data.status).toBe("FAILED");
  expect(await usedUnits(workspace)).toBe(0);
  const retry = await workspace.send(body, KEY);
  expectSent(retry);
  expect(retry.body.data.id).toBe(messageId);
  expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
};

const KNOWN = { contacts: [{ ref: "ada", phone: PHONE, name: "Ada" }] };

/** Sends while the contact is locked (`KNOWN`), so that the claim waits, and lets the server stand still for `pauseMs` then. */
const sendThroughPause = async (workspace: TestWorkspace, pauseMs: number): Promise<Answer> => {
  const instance = await startInstance({}, "API");
  try {
    const paused = async (queued: (count: number) => Promise<void>) => {
      const sending = sendTo(instance.baseUrl, workspace, TEXT, KEY);
      await queued(1);
      process.kill(instance.pid, "SIGSTOP");
      return { sending };
    };
    const { sending } = await whileLocked(workspace.contacts.ada ?? "", paused, "contacts");
    await sleep(pauseMs);
    process.kill(instance.pid, "SIGCONT");
    return await sending;
  } finally {
    process.kill(instance.pid, "SIGCONT");
    await instance.stop();
  }
};

describe("201", () => {
  test.concurrent.for([
    ["a link that takes 4.5 s", 4_500, 0],
    ["a link of 2.5 s and an upload of 2.5 s", 2_500, 2_500],
    ["a link that takes 7 s", 7_000, 0],
    ["a link of 7 s and an upload of 2 s", 7_000, 2_000],
  ] as const)("%s: what is left of the time is enough", async ([, linkMs, uploadMs]) => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    if (uploadMs > 0) {
      await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [{ delayMs: uploadMs, json: { id: "7790001" } }]);
    }
    expectSent(await workspace.send(linked(slow(linkMs)), KEY));
    expect(await sentBodies(workspace)).toHaveLength(1);
  });

  test("a server that stood still for 4.3 s in the claim", async () => {
    const workspace = await provisionWorkspace(KNOWN);
    expectSent(await sendThroughPause(workspace, 4_300));
    expect(await sentBodies(workspace)).toHaveLength(1);
  });
});

describe("502, unknown", () => {
  test("a link of 7 s, an upload of 3 s and no answer to the message: within 15 s", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const upload = { delayMs: 3_000, json: { id: "7790001" } };
    await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [upload]);
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [{ delayMs: 20_000 }]);
    const startedAtMs = performance.now();
    const answer = await workspace.send(linked(slow(7_000)), KEY);
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
    expect([answer.status, answer.body.details.outcome]).toEqual([502, "unknown"]);
  });
});

describe("502, not_sent", () => {
  test("a server that stood still until no time for a call was left", async () => {
    const workspace = await provisionWorkspace(KNOWN);
    const answer = await sendThroughPause(workspace, 13_500);
    await expectNotSent(workspace, answer, /^Nothing was sent: .*too little time.*Retry in 1 s/);
  });

  /** What stands where WhatsApp should be, and speaks no TLS. */
  const impostors: [title: string, onConnection: (socket: Socket) => unknown][] = [
    ["closes each connection before TLS", (socket) => socket.end()],
    ["resets each connection before TLS", (socket) => socket.resetAndDestroy()],
    ["speaks no TLS", (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n")],
    ["never answers the TLS handshake", () => undefined],
  ];

  test.concurrent.for(impostors)("a platform that %s", async ([, onConnection]) => {
    const workspace = await provisionWorkspace();
    const server = createServer((socket) => onConnection(socket.on("error", () => undefined)));
    const { port, close } = await listenOnLoopback(server);
    const instance = await startInstance({ WHATSAPP_GRAPH_URL: `https://127.0.0.1:${port}` }, "API");
    try {
      const answer = await sendTo(instance.baseUrl, workspace, TEXT, KEY);
      await expectNotSent(workspace, answer, /^Nothing was sent: .*could not reach WhatsApp.*/);
    } finally {
      await instance.stop();
      await close();
    }
  });

  test("a platform whose name is not resolved", async () => {
    const workspace = await provisionWorkspace();
    const instance = await forTest(startInstance({ WHATSAPP_GRAPH_URL: "http://graph.invalid" }, "API"));
    const answer = await sendTo(instance.baseUrl, workspace, TEXT, KEY);
    await expectNotSent(workspace, answer, /^Nothing was sent: .*name was not resolved.*/);
  });
});
