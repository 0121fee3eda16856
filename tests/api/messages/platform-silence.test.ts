import { describe, expect } from "vitest";
import { expectOnlyReplays, stateOf } from "../../support/platform-answers";
import { countMessages, expectError, KEY, sentBodies, TEXT, usedUnits } from "../../support/sends";
import { test } from "../../support/test";
import { graphError, scriptMessages, type scriptPlatform } from "../../support/workspace";

type Script = Parameters<typeof scriptPlatform>[2][number];

const ACCEPTED = { messages: [{ id: "wamid.LATE" }] };

describe("502, unknown", () => {
  const silences: [title: string, script: Script, reason: RegExp, code?: number][] = [
    ["code 1", graphError(1), /1: Refused/, 1],
    ["code 131000 in a 400", graphError(131000), /131000: Refused/, 131000],
    ["a code that nobody knows in a 500", { ...graphError(999_001), status: 500 }, /999001: Refused/, 999_001],
    ["an error without a code", { status: 400, json: { error: { message: "Bad" } } }, /HTTP 400 without an error code/],
    ["HTML in a 502", { status: 502, text: "<html>Bad gateway" }, /HTTP 502 with an unreadable answer/],
    ["HTML in a 401", { status: 401, text: "<html>Sign in" }, /HTTP 401 with an unreadable answer/],
    ["HTML in a 200", { text: "<html>" }, /HTTP 200 with an unreadable answer/],
    ["half a JSON", { text: '{"messages":[{"id":"wamid.X"' }, /unreadable/],
    ["nothing in a 200", { text: "" }, /HTTP 200 with an unreadable answer/],
    ["{} in a 200", { json: {} }, /HTTP 200 without a message id/],
    ["no message in a 200", { json: { messages: [] } }, /HTTP 200 without a message id/],
    ["a number as id in a 200", { json: { messages: [{ id: 5 }] } }, /HTTP 200 without a message id/],
    ["an empty id in a 200", { json: { messages: [{ id: "" }] } }, /HTTP 200 without a message id/],
    ["a 204", { status: 204, text: "" }, /HTTP 204/],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" }, json: ACCEPTED }, /HTTP 302: a redirect/],
    ["more than 1 MB", { text: `"${"a".repeat(1_100_000)}"` }, /more than 1 MB/],
    ["a connection cut before an answer", { hangUp: "before" }, /connection broke/],
    ["a connection cut in an answer", { hangUp: "middle" }, /connection broke/],
    ["10 s of silence", { delayMs: 11_000, json: ACCEPTED }, /no complete response within (9\d\d\d|10000) ms/],
  ];

  test.concurrent.for(silences)(
    "%s: UNKNOWN, reported as such, and never sent again",
    async ([, script, reason, code], { workspace }) => {
      await scriptMessages(workspace, [script]);
      const startedAtMs = Date.now();
      const answer = await workspace.send(TEXT, KEY);
      expect(Date.now() - startedAtMs).toBeLessThan(15_000);
      const { messageId } = answer.body.details;
      expectError(answer, {
        status: 502,
        error: "CHAT_GRAPH_ERROR",
        message: expect.stringMatching(reason),
        details: {
          messageId: expect.stringMatching(/^msg_/),
          outcome: "unknown",
          retryable: false,
          ...(code === undefined
            ? {}
            : { platform: { code, subcode: null, title: "Refused", details: null, fbtraceId: "Atrace" } }),
        },
      });
      expect(answer.body.message).toContain(`/api/v1/public/messages/${messageId}`);
      // Where WhatsApp did answer, nothing says that it gave none.
      expect(answer.body.message).toMatch(
        code === undefined
          ? /^WhatsApp returned no usable response \(/
          : /^WhatsApp returned error \d+: Refused, which does not say whether the message was sent\. /,
      );
      expect(await stateOf(workspace, messageId)).toEqual([200, "UNKNOWN", null, null]);
      expect(await sentBodies(workspace)).toHaveLength(1);
      await expectOnlyReplays(workspace, answer, { status: "UNKNOWN", reason: null, body: TEXT });
      // It may have been sent, so it counts.
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
    },
  );
});
