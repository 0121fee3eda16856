import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertMayRepeat, assertPermitted, assertTemplateAllowed, fromElsewhere } from "@/lib/api-keys/key-limits";
import { expiryAfter, LimitFields, lastDayOf, toKeyLimits } from "@/lib/api-keys/limit-fields";
import { limitsInWords } from "@/lib/api-keys/limit-words";
import { AppError } from "@/lib/core/app-error";
import { type KeyLimits, PERMISSIONS, type Permission } from "@/lib/core/principal";

const refusalOf = (work: () => void): AppError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1 });

describe("a key without limits", () => {
  test("may do everything", () => {
    for (const operation of [...PERMISSIONS, "other"]) expect(() => assertPermitted({}, operation)).not.toThrow();
    for (const name of ["order_ready", undefined]) expect(() => assertTemplateAllowed({}, name)).not.toThrow();
    expect(limitsInWords({}, { labels: new Map(), until: undefined })).toBeUndefined();
  });
});

describe("a key with limits", () => {
  test("may use the endpoints of its permissions and no other, also none that is added later", () => {
    fc.assert(
      fc.property(fc.subarray([...PERMISSIONS], { minLength: 1 }), (permissions) => {
        for (const operation of [...PERMISSIONS, "other"]) {
          const refusal = refusalOf(() => assertPermitted({ permissions }, operation));
          expect(refusal === undefined).toBe(permissions.includes(operation as Permission));
          if (refusal)
            expect(refusal).toMatchObject({ status: 403, details: { reason: "permission", retryable: false } });
        }
      }),
    );
  });

  test("sends its templates and nothing else", () => {
    fc.assert(
      fc.property(names, fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined }), (templateNames, name) => {
        const refusal = refusalOf(() => assertTemplateAllowed({ templateNames }, name));
        expect(refusal === undefined).toBe(name !== undefined && templateNames.includes(name));
        if (refusal) expect(refusal.details.reason).toBe("template");
      }),
    );
  });

  test("repeats every message of its own, and those of others within its lines and templates", () => {
    fc.assert(
      fc.property(
        fc.record({ phoneNumberIds: names, templateNames: names }, { requiredKeys: [] }),
        fc.record({
          apiKeyId: fc.constantFrom("own", "other", null),
          phoneNumberId: fc.constantFrom("a", "b"),
          templateName: fc.constantFrom("a", "b", null),
        }),
        (limits, message) => {
          const isWithin =
            (limits.phoneNumberIds?.includes(message.phoneNumberId) ?? true) &&
            (limits.templateNames?.some((name) => name === message.templateName) ?? true);
          const refusal = refusalOf(() => assertMayRepeat({ apiKeyId: "own", limits }, message));
          expect(refusal === undefined).toBe(message.apiKeyId === "own" || isWithin);
        },
      ),
    );
  });

  test("tells a caller from elsewhere its own address and none of the ranges", () => {
    expect(fromElsewhere("198.51.100.7")).toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("is outside the IP ranges of this key"),
      details: { reason: "ip", ip: "198.51.100.7", retryable: false },
    });
  });
});

describe("fields", () => {
  const read = (fields: Record<string, unknown>) => LimitFields.safeParse({ permissions: [...PERMISSIONS], ...fields });
  const issuesOf = (fields: Record<string, unknown>) => read(fields).error?.issues.map(({ message }) => message);

  test("that are empty are no limit, and the others are", () => {
    const { data } = read({ phoneNumberIds: "", ipRanges: " \r\n", monthlyCap: " " });
    expect(data && toKeyLimits(data)).toEqual({});
    const full = read({
      permissions: "send",
      phoneNumberIds: ["pn_2", "pn_1"],
      templateNames: "order_ready",
      ipRanges: "203.0.113.7\r\n2001:db8::/32\r\n",
      monthlyCap: "5000",
    });
    expect(full.data && toKeyLimits(full.data)).toEqual({
      permissions: ["send"],
      phoneNumberIds: ["pn_1", "pn_2"],
      templateNames: ["order_ready"],
      ipRanges: ["203.0.113.7/32", "2001:db8::/32"],
      monthlyCap: 5_000,
    } satisfies KeyLimits);
  });

  test.each([
    [{ permissions: undefined }, "Choose at least one"],
    [{ permissions: ["send", "everything"] }, "Use send, status, templates."],
    [{ templateNames: ["Order ready"] }, "lower case letters"],
    [{ ipRanges: "203.0.113.0/24\nnonsense\n::/200" }, 'Line 2: "nonsense" is not an IP address or range'],
    [{ ipRanges: "203.0.113.0/24\nnonsense\n::/200" }, "1 more line is wrong."],
    [{ ipRanges: "203.0.113.0/24\r\n\r\nnonsense" }, 'Line 3: "nonsense" is not'],
    [{ ipRanges: "203.0.113.7, 203.0.113.8\nnonsense" }, 'Line 2: "nonsense" is not'],
    [{ monthlyCap: "0" }, "whole number from 1"],
    [{ monthlyCap: "1e3" }, "whole number from 1"],
    [{ monthlyCap: "2147483648" }, "whole number from 1"],
    [{ phoneNumberIds: Array.from({ length: 201 }, (_, i) => `pn_${i}`) }, "at most 200 lines"],
  ])("%o say what is wrong", (fields, words) => {
    expect(issuesOf(fields)?.join(" ")).toContain(words);
  });
});

describe("limits in words", () => {
  const labels = new Map([["pn_1", "Shop"]]);

  test("are one sentence", () => {
    const limits: KeyLimits = {
      permissions: ["send"],
      phoneNumberIds: ["pn_1"],
      ipRanges: ["203.0.113.0/24"],
      monthlyCap: 5_000,
    };
    expect(limitsInWords(limits, { labels, until: "1 Mar 2027" })).toBe(
      "Sends only, through Shop, from 203.0.113.0/24, 5,000 messages a month, until 1 Mar 2027.",
    );
    expect(limitsInWords({ permissions: ["status", "templates"] }, { labels, until: undefined })).toBe(
      "Reads statuses and lists templates only.",
    );
    expect(limitsInWords({ phoneNumberIds: ["pn_9"], monthlyCap: 1 }, { labels, until: undefined })).toBe(
      "Every call, through a disconnected line, 1 message a month.",
    );
  });
});

describe("a last day", () => {
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Kiritimati");
  const day = fc
    .date({ min: new Date("2026-01-01"), max: new Date("2090-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10));

  test("ends where the next begins, in any time zone, and is read back as it was written", () => {
    fc.assert(
      fc.property(day, zone, (lastDay, timeZone) => {
        const expiresAt = expiryAfter(lastDay, timeZone);
        expect(expiresAt && lastDayOf(expiresAt, timeZone)).toBe(lastDay);
        const after = expiresAt && lastDayOf(new Date(expiresAt.getTime() + 1), timeZone);
        expect(after && after > lastDay).toBe(true);
      }),
    );
  });

  test("that a key has already leaves its time of day", () => {
    const stored = new Date("2027-03-01T14:23:00Z");
    expect(expiryAfter("2027-03-01", "UTC", stored)).toBe(stored);
    expect(expiryAfter("2027-03-02", "UTC", stored)).toEqual(new Date("2027-03-03T00:00:00Z"));
    expect(expiryAfter(null, "UTC", stored)).toBeNull();
  });
});
