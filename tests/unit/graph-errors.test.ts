import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_RULES } from "@/lib/whatsapp/error-codes";
import { classify, failureReason, type GraphError, readGraphError, toPlatformError } from "@/lib/whatsapp/errors";

const NOTHING = { subcode: null, title: null, message: null, details: null, fbtraceId: null, isTransient: false };
const graphError = (code: number, rest: Partial<GraphError> = {}): GraphError => ({ code, ...NOTHING, ...rest });
const refusal = (httpStatus: number, error: GraphError) => {
  const judgement = classify(httpStatus, error);
  return judgement.outcome === "refused" ? judgement : undefined;
};

describe("a code that the table knows decides, whatever the HTTP status", () => {
  test("who can fix it is the table's word", () => {
    for (const [code, { blame }] of CODE_RULES) {
      for (const httpStatus of [200, 400, 401, 403, 404, 500, 503]) {
        expect(refusal(httpStatus, graphError(code))?.blame, `${code} in a ${httpStatus}`).toBe(blame);
      }
    }
  });

  test("a rule that blames the caller names the fix, unless the cause passes by itself", () => {
    for (const rule of CODE_RULES.values()) {
      if (rule.fix !== undefined) expect(rule.fix).toMatch(/^[A-Z].*\.$/);
      if (rule.blame === "caller" && rule.retryAfterSeconds === undefined) expect(rule.fix).toBeDefined();
    }
  });

  test("a missing line or account is WhatsApp's, though its code is that of a bad parameter", () => {
    expect(refusal(400, graphError(100, { subcode: 33 }))?.blame).toBe("platform");
    expect(refusal(400, graphError(100, { subcode: 2388024 }))?.blame).toBe("caller");
  });
});

describe("what is not proven stays unknown", () => {
  test.each([1, 131000])("%i is unknown at any status", (code) => {
    for (const httpStatus of [200, 400, 401, 500])
      expect(classify(httpStatus, graphError(code)).outcome).toBe("unknown");
  });

  test("an unknown code in a 5xx, a 2xx or a 3xx is unknown", () => {
    for (const httpStatus of [200, 302, 500, 503]) {
      expect(classify(httpStatus, graphError(999_999)).outcome).toBe("unknown");
    }
  });

  test.each([
    [400, "caller"],
    [404, "caller"],
    [429, "caller"],
    [401, "platform"],
    [403, "platform"],
  ])("an unknown code in a %i is definite, and the %s's", (httpStatus, blame) => {
    expect(refusal(httpStatus, graphError(999_999))).toMatchObject({ blame, retryable: false });
  });

  test("an unknown code that calls itself transient may be tried again", () => {
    const expected = { blame: "platform", retryable: true, retryAfterSeconds: 30 };
    expect(refusal(400, graphError(999_999, { isTransient: true }))).toMatchObject(expected);
  });
});

describe("the wait", () => {
  const wait = (code: number, advised: number | null) => {
    const judgement = classify(400, graphError(code), advised);
    return judgement.outcome === "refused" ? [judgement.retryable, judgement.retryAfterSeconds] : [];
  };

  test("a refusal is retryable exactly where it names a wait", () => {
    for (const code of [...CODE_RULES.keys(), 999_999]) {
      const [retryable, seconds] = wait(code, null);
      expect(seconds !== null, `${code}`).toBe(retryable);
    }
  });

  test("WhatsApp's own wait goes before ours, up to a day, and up to 15 minutes for a throttle", () => {
    expect(wait(130429, 17)).toEqual([true, 17]);
    expect(wait(80007, 86_400)).toEqual([true, 900]);
    expect(wait(131016, 7)).toEqual([true, 7]);
    expect(wait(131016, 999_999)).toEqual([true, 86_400]);
  });

  test("it makes nothing retryable that is not", () => {
    expect(wait(131047, 60)).toEqual([false, null]);
    expect(wait(190, 60)).toEqual([false, null]);
  });
});

describe("flags", () => {
  test.each([
    [4, "line"],
    [80007, "line"],
    [130429, "line"],
    [131056, "pair"],
    [131048, null],
  ])("%i throttles %s", (code, throttled) => {
    expect(refusal(400, graphError(code))).toMatchObject({ throttled, retryable: true });
  });

  test.each([
    [132001, "not_approved"],
    [132015, "not_approved"],
    [132016, "not_approved"],
    [132000, "differs"],
    [132012, "differs"],
    [132018, null],
  ])("%i says that the template is %s", (code, template) => {
    expect(refusal(400, graphError(code))?.template).toBe(template);
  });

  test("only 0 and 190 mean a dead token", () => {
    const dead = [...CODE_RULES.keys()].filter((code) => refusal(401, graphError(code))?.isTokenDead);
    expect(dead).toEqual([0, 190]);
  });
});

describe("reading an error", () => {
  test("every field is read, with the details in front", () => {
    const error = readGraphError({
      error: {
        message: "(#132000) Number of parameters does not match",
        type: "OAuthException",
        code: 132000,
        error_subcode: 2494002,
        error_data: { messaging_product: "whatsapp", details: "body: number of localizable_params (1)" },
        is_transient: true,
        fbtrace_id: "AbC",
      },
    });
    expect(error).toEqual({
      code: 132000,
      subcode: 2494002,
      title: null,
      message: "(#132000) Number of parameters does not match",
      details: "body: number of localizable_params (1)",
      fbtraceId: "AbC",
      isTransient: true,
    });
    expect(error && failureReason(error)).toBe("132000: body: number of localizable_params (1)");
    expect(error && toPlatformError(error)).toEqual({
      code: 132000,
      subcode: 2494002,
      title: "Number of parameters does not match",
      details: "body: number of localizable_params (1)",
      fbtraceId: "AbC",
    });
  });

  test("error_data may be a plain string, and a code may be digits", () => {
    expect(readGraphError({ error: { code: "100", error_data: "why" } })).toMatchObject({ code: 100, details: "why" });
  });

  const MESSAGE = "(#131009) Parameter value is not valid.";
  test.each([
    ["a text", "the link", "131009: Parameter value is not valid: the link", "the link"],
    ["a text that the message holds", "value is", "131009: Parameter value is not valid.", "value is"],
    ["a text of blanks", " ", "131009: Parameter value is not valid.", null],
    ["an object as text", '{"details":"the link"}', "131009: the link", "the link"],
    ["an object of others", { blame: [["to"]] }, "131009: Parameter value is not valid.", null],
    ["an object of others, as text", '{"blame":[["to"]]}', "131009: Parameter value is not valid.", null],
    ["an array", ["the link"], "131009: Parameter value is not valid.", null],
    ["a number", 7, "131009: Parameter value is not valid.", null],
  ])("error_data as %s keeps WhatsApp's message", (_, errorData, reason, details) => {
    const error = readGraphError({ error: { message: MESSAGE, code: 131009, error_data: errorData } });
    expect(error && [failureReason(error), toPlatformError(error)]).toEqual([
      reason,
      { code: 131009, subcode: null, title: "Parameter value is not valid.", details, fbtraceId: null },
    ]);
  });

  const codes = [undefined, "100a", 1.5, 99_999_999_999].map((code) => ({ error: { message: "M", code } }));
  test.each([undefined, null, "<html>502</html>", [], {}, { error: "no" }, ...codes].map((body) => ({ body })))(
    "$body holds no error",
    ({ body }) => {
      expect(readGraphError(body)).toBeUndefined();
    },
  );

  test("no body makes the reader throw, and every reason is one short clean line", () => {
    fc.assert(
      fc.property(
        fc.record({ error: fc.record({ code: fc.integer(), message: fc.anything(), error_data: fc.anything() }) }),
        (body) => {
          const error = readGraphError(body);
          const reason = error ? failureReason(error) : "";
          expect([...reason].length).toBeLessThanOrEqual(1_000);
          expect(reason).not.toMatch(/\p{Control}|\p{Surrogate}/u);
        },
      ),
    );
  });
});

describe("failureReason", () => {
  test("falls back from details to message to title", () => {
    expect(failureReason(graphError(131047, { message: "(#131047) Re-engagement message", title: "T" }))).toBe(
      "131047: Re-engagement message",
    );
    expect(failureReason(graphError(131047, { title: "Re-engagement message" }))).toBe("131047: Re-engagement message");
    expect(failureReason(graphError(131047))).toBe("131047: WhatsApp gave no reason.");
  });

  test("is cut after 1,000 characters, never inside one", () => {
    const reason = failureReason(graphError(131047, { details: "📦".repeat(2_000) }));
    expect([...reason]).toHaveLength(1_000);
    expect(reason.endsWith("📦")).toBe(true);
  });

  test("holds no control characters", () => {
    expect(failureReason(graphError(1, { details: "a\0b\u0007c\nd\ud800" }))).toBe("1: abc d\ufffd");
  });
});
