import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import { brokenAt, parseJson, parseJsonBytes } from "@/lib/http/json-text";

const issuesOf = (parse: () => unknown) => {
  try {
    parse();
  } catch (error) {
    if (error instanceof AppError && error.code === "VALIDATION_ERROR") return error.details.issues ?? [];
    throw error;
  }
  return undefined;
};

describe("parseJson", () => {
  test("gives what JSON.parse gives, or names a fault with its path", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.stringMatching(/^[a-z]*$/), (text, root) => {
        const issues = issuesOf(() => expect(parseJson(text, root)).toEqual(JSON.parse(text)));
        for (const { path, message } of issues ?? []) {
          expect(path.startsWith(root)).toBe(true);
          expect(message).toMatch(/NUL|surrogate|twice|reserved|exactly|deeper/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("refuses nothing that every reader reads alike", () => {
    const plain = fc.jsonValue({ maxDepth: 6, noUnicodeString: true }).filter((value) => {
      const text = JSON.stringify(value);
      return !/\\u0000|__proto__|\d{16}|e\+|\\ud[89a-f]/i.test(text);
    });
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text, "")).toEqual(JSON.parse(text));
      }),
    );
  });

  test("throws nothing but VALIDATION_ERROR, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0a1e-+. \n') })),
        (text) => {
          issuesOf(() => parseJson(text, "content"));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":[{"b":1},{"b":1,"\\u0062":2}]}', "a[1].b"],
    ["[[],[[1e400]]]", "[1][0][0]"],
    ['[ "\u007f\u0085\u2028", 1e400 ]', "[1]"],
    ['{"a.b":"\\ud800"}', "a.b"],
    ['{"\\ud800":1}', "\\ufffd"],
    ['{"a":{},"b":{"__proto__":1}}', "b.__proto__"],
    [`${"[".repeat(33)}${"]".repeat(33)}`, ""],
  ])("names the place in %s", (text, path) => {
    expect(issuesOf(() => parseJson(text, ""))?.map((issue) => issue.path)).toEqual([
      path === "\\ufffd" ? "\ufffd" : path,
    ]);
  });

  test.each(["9007199254740991", "-9007199254740991", "0.1", "1e15", "-0", "1.0", "12345.678e2"])(
    "holds the number %s",
    (number) => {
      expect(issuesOf(() => parseJson(number, ""))).toBeUndefined();
    },
  );

  test("takes 32 levels, and a million without a stack overflow to refuse them", () => {
    expect(issuesOf(() => parseJson(`${"[".repeat(32)}${"]".repeat(32)}`, ""))).toBeUndefined();
    expect(issuesOf(() => parseJson("[".repeat(1_000_000) + "]".repeat(1_000_000), ""))).toHaveLength(1);
  });

  test("reads the longest body of nothing but escapes, and lists a hundred faults at most", () => {
    const escapes = `"${"\\n".repeat(131_000)}"`;
    expect(issuesOf(() => parseJson(escapes, ""))).toBeUndefined();
    expect(brokenAt(`${escapes}x`)).toBe(escapes.length);
    expect(issuesOf(() => parseJson(`[${'"\\u0000",'.repeat(20_000)}1]`, ""))).toHaveLength(100);
  });
});

describe("parseJsonBytes", () => {
  test("reads every text in UTF-8, with a mark or without", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("", "\ufeff"), (text, mark) => {
        const bytes = new TextEncoder().encode(mark + JSON.stringify(text));
        if (issuesOf(() => parseJsonBytes(bytes)) === undefined) expect(parseJsonBytes(bytes)).toBe(text);
      }),
    );
  });

  test("throws nothing but VALIDATION_ERROR, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void issuesOf(() => parseJsonBytes(bytes))),
      {
        numRuns: 2_000,
      },
    );
  });
});

describe("brokenAt", () => {
  const toJson = (value: string) => JSON.stringify(value, null, 2);
  const broken = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", "@", ",", "}", "]", ":", '"', "0", "-", "\\", "\n"))
    .map(
      ([text, at, inserted]) =>
        text.slice(0, at % (text.length + 1)) + inserted + text.slice(1 + (at % (text.length + 1))),
    )
    .filter((text) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    });

  test("is a place up to which the text can be JSON, and never behind the one that V8 names", () => {
    fc.assert(
      fc.property(broken, (text) => {
        const at = brokenAt(text);
        expect(canGoOn(text.slice(0, at))).toBe(true);
        const named = /at position (\d+)/.exec(messageOf(text))?.[1];
        if (named !== undefined) expect(at).toBeLessThanOrEqual(Number(named));
      }),
      { numRuns: 2_000 },
    );
  });

  test("is the end of a text that is JSON or only too short", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" }).map(toJson)), (text) => {
        expect(brokenAt(text)).toBe(text.length);
      }),
    );
    expect(brokenAt('{"a":[1,')).toBe(8);
  });

  test.each([
    ['{"a":x}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ['{"a" 1}', 5],
    ["{1:2}", 1],
    ["[1}", 2],
    ["01", 0],
    ["truex", 0],
    ['["a\nb"]', 1],
    ["\u00a0{}", 0],
    ["", 0],
  ])("of %j is %d", (text, at) => {
    expect(brokenAt(text)).toBe(at);
  });
});

const messageOf = (text: string): string => {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

/** Whether V8 finds no fault in a text but its end. */
const canGoOn = (text: string): boolean => {
  const message = messageOf(text);
  const named = /at position (\d+)/.exec(message)?.[1];
  return message === "" || /end of JSON input/.test(message) || Number(named ?? -1) >= text.trimEnd().length;
};
