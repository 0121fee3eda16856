import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CodeToken, jsonTokens } from "@/lib/docs/code-tokens";
import { highlighted } from "@/lib/docs/highlight";

const textOf = (tokens: readonly CodeToken[]): string => tokens.map(({ text }) => text).join("");
const ofKind = (tokens: readonly CodeToken[], kind: string): string[] =>
  tokens.flatMap((token) => (token.kind === kind ? [token.text.trim()] : []));

const CURL = `# Sends
curl -X POST "https://a.example/send" \\
  -H "apiSecret: $CHAT_API_SECRET" \\
  -d '{
    "type": "text",
    "count": 2
  }'`;

describe("coloured code", () => {
  test("is the code, byte for byte, in every language and for any text", async () => {
    const fences = ["sh", "js", "ts", "python", "json", "http", "text", "none"];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fences),
        fc.string({ unit: "binary", maxLength: 80 }),
        async (fence, code) => {
          // A page never holds these: Markdown has none, and JSON writes them as escapes.
          const line = code.replaceAll(/[\r\u2028\u2029]/g, "");
          expect(textOf(await highlighted(line, fence))).toBe(line);
        },
      ),
      { numRuns: 300 },
    );
    for (const fence of fences) expect(textOf(await highlighted(CURL, fence))).toBe(CURL);
  });

  test("distinguishes the parts of JSON", () => {
    const tokens = jsonTokens('{ "a": "b: 1", "c": [1.5, -2e3, true, null] }');
    expect(ofKind(tokens, "name")).toEqual(['"a"', '"c"']);
    expect(ofKind(tokens, "string")).toEqual(['"b: 1"']);
    expect(ofKind(tokens, "constant")).toEqual(["1.5", "-2e3", "true", "null"]);
  });

  test("shows a shell's options, variables and comments, and the JSON that curl sends as JSON", async () => {
    const tokens = await highlighted(CURL, "sh");
    expect(ofKind(tokens, "comment")).toEqual(["# Sends"]);
    expect(ofKind(tokens, "constant")).toEqual(expect.arrayContaining(["-X", "$CHAT_API_SECRET", "2"]));
    expect(ofKind(tokens, "name")).toEqual(["curl", '"type"', '"count"']);
  });

  test("shows the body of a response as JSON, and its head as it is", async () => {
    const tokens = await highlighted('HTTP/1.1 201 Created\n\n{ "success": true }', "http");
    expect(tokens[0]).toEqual({ kind: "plain", text: "HTTP/1.1 201 Created\n\n{ " });
    expect(ofKind(tokens, "name")).toEqual(['"success"']);
  });
});
