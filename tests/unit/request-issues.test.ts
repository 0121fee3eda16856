import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { invalid } from "@/lib/core/app-error";
import { issuesThrownBy, pathText, toIssues, unknownField } from "@/lib/http/issues";

const explain = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error ? toIssues(error, ["field"], { schema, value }) : [];
};

describe("pathText", () => {
  test("is written as the caller would, whole characters and 200 at most", () => {
    expect(pathText(["carousel", "cards", 0, "bodyValues", "1"])).toBe("carousel.cards[0].bodyValues.1");
    expect(pathText([0, "a"])).toBe("[0].a");
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary", maxLength: 90 }), fc.nat())), (path) => {
        const text = pathText(path);
        expect(text.length <= 200 && text.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("toIssues", () => {
  test.each([
    [z.string(), 1, "must be a string."],
    [z.string(), undefined, "is required. It must be a string."],
    [z.array(z.string()), {}, "must be an array."],
    [z.record(z.string(), z.string()), [], "must be an object."],
    [z.boolean(), "true", "must be a boolean."],
    [z.enum(["a", "b", "c"]), "d", 'must be "a", "b" or "c".'],
    [z.string().min(1), "", "is empty."],
    [z.string().max(3), "abcd", "is longer than 3 characters."],
    [z.array(z.string()).max(1), ["a", "b"], "has more than 1 entries."],
    [z.int().min(0), -1, "must be at least 0."],
    [z.int().max(9), 10, "must be at most 9."],
  ])("%# says what is wrong", (schema, value, message) => {
    expect(explain(schema, value)).toEqual([{ path: "field", message }]);
  });

  test.each([
    ["no field at all", z.strictObject({}), {}],
    ["fields below a default", z.array(z.strictObject({ index: z.int() })).default([]), [{ index: 1 }]],
  ])("a key of a schema that has %s is unknown, and none is meant", (_, schema, value) => {
    const given = Array.isArray(value) ? [{ ...value[0], "\u{10ffff}": 1 }] : { ...value, "\u{10ffff}": 1 };
    expect(explain(schema, given).map(({ message }) => message)).toEqual(["is not a field of this object. Remove it."]);
  });

  test.each([
    [{ card_index: 0 }, "field.card_index", "`index`"],
    [{ body_values: {} }, "field.body_values", "`bodyValues`"],
    [{ Index: 0 }, "field.Index", "`index`"],
    [{ values: [{ subType: "url" }] }, "field.values[0].subType", "`sub_type`"],
    [{ values: [{ parameters: { type: "text", txt: "a" } }] }, "field.values[0].parameters.txt", "`text`"],
    [
      { values: [{ parameters: { type: "payload", pay_load: "a" } }] },
      "field.values[0].parameters.pay_load",
      "`payload`",
    ],
    [{ header: { formt: "image" } }, "field.header.formt", "`format`"],
  ])("at any depth an unknown key has the one that may have been meant: %j", (given, path, meant) => {
    const schema = z.strictObject({
      index: z.int().optional(),
      bodyValues: z.record(z.string(), z.string()).nullish(),
      values: z
        .array(
          z.strictObject({
            sub_type: z.string().optional(),
            parameters: z
              .preprocess(
                (value) => value,
                z.discriminatedUnion("type", [
                  z.strictObject({ type: z.literal("text"), text: z.string().optional() }).transform((one) => one),
                  z.strictObject({ type: z.literal("payload"), payload: z.string().optional() }),
                ]),
              )
              .optional(),
          }),
        )
        .nullish(),
      header: z
        .strictObject({ format: z.string().optional() })
        .refine(() => true)
        .transform((one) => one)
        .nullish(),
    });
    expect(explain(schema, given)).toEqual([{ path, message: expect.stringContaining(`Did you mean ${meant}?`) }]);
  });

  test("names each unknown key of an object, and the place inside", () => {
    const schema = z.object({ inner: z.strictObject({ a: z.string() }) });
    expect(explain(schema, { inner: { a: 1, b: 2, c: 3 } }).map(({ path }) => path)).toEqual([
      "field.inner.a",
      "field.inner.b",
      "field.inner.c",
    ]);
  });
});

describe("unknownField", () => {
  const known = ["phone", "phoneNumberId", "idempotencyKey", "content"];
  test.each([
    ["Phone", "phone"],
    ["phonenumberid", "phoneNumberId"],
    ["idempotency_key", "idempotencyKey"],
    ["contents", "content"],
    ["phone_number_id", "phoneNumberId"],
    ["whatsapp_phone", "phone"],
  ])("%s may have meant %s", (name, meant) => {
    expect(unknownField(name, known).message).toContain(`\`${meant}\``);
  });

  test("suggests nothing far away and quotes 80 characters at most", () => {
    expect(unknownField("somethingElse", known).message).toContain("Remove it");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const { path, message } = unknownField(name, known);
        expect(path.length <= 80 && path.isWellFormed() && message.length < 120).toBe(true);
      }),
    );
    expect(unknownField("k".repeat(1_000_000), known).path).toHaveLength(80);
  });
});

describe("issuesThrownBy", () => {
  test("gives the issues of a refusal and lets anything else pass", () => {
    const issue = { path: "a", message: "`a` is wrong." };
    expect(issuesThrownBy(() => {})).toEqual([]);
    expect(
      issuesThrownBy(() => {
        throw invalid([issue]);
      }),
    ).toEqual([issue]);
    expect(() =>
      issuesThrownBy(() => {
        throw new TypeError("a fault of ours");
      }),
    ).toThrow(TypeError);
  });
});
