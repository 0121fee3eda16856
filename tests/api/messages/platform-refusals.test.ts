import { describe, expect } from "vitest";
import { startInstance } from "../../support/environment";
import {
  expectOnlyReplays,
  expectSecondAttempt,
  KEY,
  scriptMessages,
  stateOf,
  TEXT,
} from "../../support/platform-answers";
import { countMessages, expectError, expectSent, sentBodies, usedUnits } from "../../support/sends";
import { test } from "../../support/test";
import { graphError, platformRequests, provisionWorkspace, request } from "../../support/workspace";

const details = (text: string) => ({ error_data: { messaging_product: "whatsapp", details: text } });

describe("201", () => {
  test("a 200 is SENT, whatever message_status it has", async ({ workspace }) => {
    for (const [i, message_status] of ["accepted", "held_for_quality_assessment", "a new word", null, 5].entries()) {
      await scriptMessages(workspace, [{ json: { messages: [{ id: `wamid.X${i}`, message_status }] } }]);
      const answer = await workspace.send(TEXT);
      expectSent(answer);
      expect(answer.body.data.chatMessageId).toBe(`wamid.X${i}`);
    }
  });
});

describe("400", () => {
  const refusals: [title: string, code: number, httpStatus: number, extra?: Record<string, unknown>][] = [
    ["a parameter value", 131009, 400, details("Button title too long")],
    ["a code of ours in a 500: the code decides", 131009, 500],
    ["an error in a 200", 131009, 200],
    ["an unknown code in a 404", 999_001, 404],
  ];

  test.concurrent.for(refusals)(
    "%s (%i in a %i): the caller can fix it, and a replay is FAILED",
    async ([, code, status, extra], { workspace }) => {
      await scriptMessages(workspace, [{ ...graphError(code, "Refused", { error_subcode: 42, ...extra }), status }]);
      const answer = await workspace.send(TEXT, KEY);
      const reported = extra ? "Button title too long" : "Refused";
      expectError(answer, {
        status: 400,
        error: "CHAT_GRAPH_ERROR",
        message: expect.stringContaining(`WhatsApp refused this message: ${code}: ${reported}.`),
        details: {
          messageId: expect.stringMatching(/^msg_/),
          outcome: "not_sent",
          retryable: false,
          platform: {
            code,
            subcode: 42,
            title: "Refused",
            details: extra ? "Button title too long" : null,
            fbtraceId: "Atrace",
          },
        },
      });
      expect(answer.text).not.toContain("EAA");
      expect(await usedUnits(workspace)).toBe(0);
      const reason = `${code}: ${reported}`;
      expect(await stateOf(workspace, answer.body.details.messageId)).toEqual([200, "FAILED", reason, null]);
      await expectOnlyReplays(workspace, answer, { status: "FAILED", reason, body: TEXT });
      expect(await countMessages(workspace)).toBe(1);
    },
  );
});

describe("not_sent, and the same key sends later", () => {
  type Refusal = [
    title: string,
    code: number,
    httpStatus: number,
    retryable: boolean,
    seconds?: number,
    extra?: Record<string, unknown>,
  ];
  const refusals: Refusal[] = [
    ["a dead token", 190, 401, false],
    ["a line out of reach", 100, 400, false, undefined, { error_subcode: 33 }],
    ["the line's throughput", 130429, 400, true, 1],
    ["a platform that is unavailable", 131016, 503, true, 30],
    ["an unknown code in a 403", 999_001, 403, false],
    ["a message that the caller can change, but need not", 132069, 400, true, 3_600],
  ];

  test.concurrent.for(refusals)("%s (%i in a %i)", async ([, code, status, retryable, seconds, extra]) => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [{ ...graphError(code, "Refused.", extra), status }]);
    const answer = await workspace.send(TEXT, KEY);
    expectError(answer, {
      status: code === 132069 ? 400 : 502,
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringContaining(`WhatsApp refused this message: ${code}: Refused.`),
      details: {
        messageId: expect.stringMatching(/^msg_/),
        outcome: "not_sent",
        retryable,
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
        platform: {
          code,
          subcode: extra?.error_subcode ?? null,
          title: "Refused.",
          details: null,
          fbtraceId: "Atrace",
        },
      },
    });
    expect(answer.headers.get("retry-after")).toBe(seconds === undefined ? null : `${seconds}`);
    expect(answer.text).not.toContain("EAA");
    expect(await usedUnits(workspace)).toBe(0);
    const state = await stateOf(workspace, answer.body.details.messageId);
    expect(state).toEqual([200, "FAILED", `${code}: Refused.`, null]);
    await expectSecondAttempt(workspace, answer, TEXT);
    expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
    const sent = await stateOf(workspace, answer.body.details.messageId);
    expect(sent.slice(0, 3)).toEqual([200, "SENT", null]);
  });

  test("a token that WhatsApp quotes is neither shown nor stored", async ({ workspace }) => {
    const token = workspace.lines.main?.accessToken ?? "";
    const quoted = details(`Malformed access token ${token}, not EAAsomebodyElses123`);
    await scriptMessages(workspace, [{ ...graphError(190, `Malformed access token ${token}`, quoted), status: 401 }]);
    const answer = await workspace.send(TEXT);
    expect([answer.status, answer.body.details.platform?.details]).toEqual([
      502,
      "Malformed access token [token], not [token]",
    ]);
    const stored = await workspace.status(answer.body.details.messageId ?? "");
    expect(`${answer.text} ${stored.text}`).not.toMatch(/EAA/);
  });

  test("a long-winded platform is reported in short, and whole in the details", async ({ workspace }) => {
    const talk = "Words. ".repeat(300).trim();
    await scriptMessages(workspace, [{ ...graphError(190, "Refused", details(talk)), status: 401 }]);
    const answer = await workspace.send(TEXT);
    expectError(answer, {
      status: 502,
      error: "CHAT_GRAPH_ERROR",
      details: {
        messageId: expect.stringMatching(/^msg_/),
        outcome: "not_sent",
        retryable: false,
        platform: {
          code: 190,
          subcode: null,
          title: "Refused",
          details: expect.stringMatching(/^.{1000}$/),
          fbtraceId: "Atrace",
        },
      },
    });
    await scriptMessages(workspace, [graphError(131000, "Refused", details(talk))]);
    expect((await workspace.send(TEXT)).body.message.length).toBeLessThanOrEqual(280);
  });

  test("WhatsApp's own wait wins over ours", async ({ workspace }) => {
    await scriptMessages(workspace, [{ ...graphError(130429), headers: { "retry-after": "17" } }]);
    const answer = await workspace.send(TEXT);
    expect([answer.body.details.retryAfterSeconds, answer.headers.get("retry-after")]).toEqual([17, "17"]);
    const usage = JSON.stringify({ "102200001": [{ type: "messages", estimated_time_to_regain_access: 5 }] });
    await scriptMessages(workspace, [{ ...graphError(80007), headers: { "x-business-use-case-usage": usage } }]);
    expect((await workspace.send(TEXT)).body.details.retryAfterSeconds).toBe(300);
    // By the clock of the answer itself, which is an hour ahead of ours.
    const [date, until] = [3_600_000, 3_690_000].map((ms) => new Date(Date.now() + ms).toUTCString());
    const headers = { date: `${date}`, "retry-after": `${until}` };
    await scriptMessages(workspace, [{ ...graphError(131016), headers }]);
    const dated = await workspace.send(TEXT);
    expect([dated.body.details.retryAfterSeconds, dated.headers.get("retry-after")]).toEqual([90, "90"]);
  });

  test("a platform that refuses connections: nothing left, and the same key sends when it is back", async () => {
    const workspace = await provisionWorkspace();
    const instance = await startInstance({ WHATSAPP_GRAPH_URL: "http://127.0.0.1:9" }, "API");
    try {
      const answer = await request("POST", `${instance.baseUrl}/api/v1/public/messages/send`, {
        body: JSON.stringify(TEXT),
        headers: {
          "content-type": "application/json",
          apiKey: workspace.apiKey,
          apiSecret: workspace.apiSecret,
          "x-forwarded-for": workspace.clientAddress,
          ...KEY,
        },
      });
      expectError(answer, {
        status: 502,
        error: "CHAT_GRAPH_ERROR",
        message: expect.stringMatching(/^Nothing was sent: .*connection refused.*\.$/),
        details: {
          messageId: expect.stringMatching(/^msg_/),
          outcome: "not_sent",
          retryable: true,
          retryAfterSeconds: 5,
        },
      });
      expect(await platformRequests(workspace.whatsappPhoneNumberId)).toEqual([]);
      expect(await usedUnits(workspace)).toBe(0);
      const retry = await workspace.send(TEXT, KEY);
      expectSent(retry);
      expect(retry.body.data.id).toBe(answer.body.details.messageId);
      expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
    } finally {
      await instance.stop();
    }
  });
});
