import { describe, expect, test } from "vitest";
import { keepsKey, refusalText } from "@/lib/messages/send/dispatch-message";
import { AMBIGUOUS_CODES, CODE_RULES } from "@/lib/whatsapp/error-codes";
import { classify, type GraphError } from "@/lib/whatsapp/errors";
import { notSent, type RefusedSend } from "@/lib/whatsapp/post-message";

const PLATFORM = { code: 1, subcode: null, title: null, details: null, fbtraceId: null };

const refusalOf = (code: number, reason = `${code}: Refused`): RefusedSend => {
  const nothing = { subcode: null, title: null, message: null, details: null, fbtraceId: null, isTransient: false };
  const error: GraphError = { code, ...nothing };
  const judgement = classify(400, error);
  if (judgement.outcome !== "refused") throw new Error(`${code} is no refusal`);
  return { ...judgement, reason, platform: { ...PLATFORM, code } };
};

const CODES = [...CODE_RULES.keys()].filter((code) => !AMBIGUOUS_CODES.has(code));
const UPLOAD = "The media of `templateVariables.c9_header_link` could not be uploaded";

describe.each(CODES)("%i", (code) => {
  const outcome = refusalOf(code);

  test("its text says whether the key can be used again, as the row's phase does", () => {
    const text = refusalText(outcome);
    expect(text).toMatch(keepsKey(outcome) ? /with the same Idempotency-Key\.$/ : /Use a new Idempotency-Key\.$/);
    expect(/Retry in \d+ (s|min|h) with/.test(text)).toBe(outcome.retryable);
  });

  test("its text is at most 280 characters, however much WhatsApp says, and for an upload too", () => {
    const long = refusalOf(code, `${code}: ${"Words of theirs ".repeat(80)}`);
    for (const text of [refusalText(long), refusalText(long, UPLOAD)]) {
      expect([...text].length, text).toBeLessThanOrEqual(280);
      expect(text).toContain(`: ${code}: Words of theirs`);
    }
  });
});

const RECONNECT = "The owner of the line must connect it again with a valid access token. Then retry";
test.each([
  [131047, "Send an approved template instead. Use a new Idempotency-Key."],
  [132069, "Retry in 60 min with the same Idempotency-Key."],
  [131049, "Retry in 24 h with the same Idempotency-Key."],
  [137000, "Your business must confirm who the recipient is first. Use a new Idempotency-Key."],
  [190, `${RECONNECT} with the same Idempotency-Key.`],
])("%i reads well", (code, advice) => {
  expect(refusalText(refusalOf(code))).toBe(`WhatsApp refused this message: ${code}: Refused. ${advice}`);
});

test("what never reached WhatsApp says so", () => {
  expect(refusalText(notSent("connection refused"))).toBe(
    "Nothing was sent: connection refused. Retry in 5 s with the same Idempotency-Key.",
  );
  expect(refusalText(notSent("no complete response within 4000 ms"), UPLOAD)).toBe(
    `${UPLOAD}: no complete response within 4000 ms. Nothing was sent. Retry in 5 s with the same Idempotency-Key.`,
  );
});
