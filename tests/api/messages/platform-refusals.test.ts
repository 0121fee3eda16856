import { describe, expect, onTestFinished } from "vitest";
import { startInstance } from "../../support/environment";
import { expectOnlyReplays, expectSecondAttempt, stateOf } from "../../support/platform-answers";
import { countMessages, expectError, expectSent, KEY, sentBodies, TEXT, usedUnits } from "../../support/sends";
import { test } from "../../support/test";
import { graphError, platformRequests, provisionWorkspace, scriptMessages } from "../../support/workspace";

const detailed = (text: string) => ({ error_data: { messaging_product: "whatsapp", details: text } });

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

describe("a refusal", () => {
  /** `retryable` is left out where the same key sends nothing later, and replays as FAILED. */
  type Refusal = {
    code: number;
    from: number;
    status: 400 | 502;
    retryable?: boolean;
    seconds?: number;
    subcode?: number;
    details?: string;
  };
  const refusals: [title: string, refusal: Refusal][] = [
    ["a parameter value", { code: 131009, from: 400, status: 400, subcode: 42, details: "Button title too long" }],
    ["a code of ours in a 500: the code decides", { code: 131009, from: 500, status: 400 }],
    ["an error in a 200", { code: 131009, from: 200, status: 400 }],
    ["an unknown code in a 404", { code: 999_001, from: 404, status: 400 }],
    ["a dead token", { code: 190, from: 401, status: 502, retryable: false }],
    ["a line out of reach", { code: 100, from: 400, status: 502, retryable: false, subcode: 33 }],
    ["the line's throughput", { code: 130429, from: 400, status: 502, retryable: true, seconds: 1 }],
    ["a platform that is unavailable", { code: 131016, from: 503, status: 502, retryable: true, seconds: 30 }],
    ["an unknown code in a 403", { code: 999_001, from: 403, status: 502, retryable: false }],
    [
      "what the caller can change, but need not",
      { code: 132069, from: 400, status: 400, retryable: true, seconds: 3_600 },
    ],
  ];

  test.concurrent.for(refusals)("%s: %j", async ([, refusal], { workspace }) => {
    const { code, from, status, retryable, seconds, subcode = null, details = null } = refusal;
    const extra = { ...(subcode && { error_subcode: subcode }), ...(details && detailed(details)) };
    await scriptMessages(workspace, [{ ...graphError(code, "Refused.", extra), status: from }]);
    const answer = await workspace.send(TEXT, KEY);
    const reason = `${code}: ${details ?? "Refused."}`;
    expectError(answer, {
      status,
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringContaining(`WhatsApp refused this message: ${reason}`),
      details: {
        messageId: expect.stringMatching(/^msg_/),
        outcome: "not_sent",
        retryable: retryable ?? false,
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
        platform: { code, subcode, title: "Refused.", details, fbtraceId: "Atrace" },
      },
    });
    expect(answer.headers.get("retry-after")).toBe(seconds === undefined ? null : `${seconds}`);
    expect(answer.text).not.toContain("EAA");
    expect(await usedUnits(workspace)).toBe(0);
    const { messageId } = answer.body.details;
    expect(await stateOf(workspace, messageId)).toEqual([200, "FAILED", reason, null]);
    if (retryable === undefined) {
      await expectOnlyReplays(workspace, answer, { status: "FAILED", reason, body: TEXT });
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 0]);
    } else {
      await expectSecondAttempt(workspace, answer, TEXT);
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
      expect((await stateOf(workspace, messageId)).slice(0, 3)).toEqual([200, "SENT", null]);
    }
  });

  test("a token that WhatsApp quotes is neither shown nor stored", async ({ workspace }) => {
    const token = workspace.lines.main?.accessToken ?? "";
    const quoted = detailed(`Malformed access token ${token}, not EAAsomebodyElses123`);
    await scriptMessages(workspace, [{ ...graphError(190, `Malformed access token ${token}`, quoted), status: 401 }]);
    const answer = await workspace.send(TEXT);
    const { platform, messageId = "" } = answer.body.details;
    expect([answer.status, platform?.details]).toEqual([502, "Malformed access token [token], not [token]"]);
    const stored = await workspace.status(messageId);
    expect(`${answer.text} ${stored.text}`).not.toMatch(/EAA/);
  });

  test("a long-winded platform is reported in short, and whole in the details", async ({ workspace }) => {
    const talk = "Words. ".repeat(300).trim();
    await scriptMessages(workspace, [{ ...graphError(190, "Refused", detailed(talk)), status: 401 }]);
    const answer = await workspace.send(TEXT);
    expectError(answer, {
      status: 502,
      error: "CHAT_GRAPH_ERROR",
      details: {
        messageId: expect.stringMatching(/^msg_/),
        outcome: "not_sent",
        retryable: false,
        platform: expect.objectContaining({ code: 190, details: expect.stringMatching(/^.{1000}$/) }),
      },
    });
    await scriptMessages(workspace, [graphError(131000, "Refused", detailed(talk))]);
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
    onTestFinished(instance.stop);
    const answer = await workspace.at(instance.baseUrl).send(TEXT, KEY);
    const { messageId } = answer.body.details;
    expectError(answer, {
      status: 502,
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringMatching(/^Nothing was sent: .*connection refused.*\.$/),
      details: { messageId, outcome: "not_sent", retryable: true, retryAfterSeconds: 5 },
    });
    expect(messageId).toMatch(/^msg_/);
    expect(await platformRequests(workspace.whatsappPhoneNumberId)).toEqual([]);
    expect(await usedUnits(workspace)).toBe(0);
    const retry = await workspace.send(TEXT, KEY);
    expectSent(retry);
    expect(retry.body.data.id).toBe(messageId);
    expect(await sentBodies(workspace)).toHaveLength(1);
  });
});
