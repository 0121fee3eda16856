import fc from "fast-check";
import { expect, test } from "vitest";
import { BEFORE_WORDS, firstWords, READ_CHARACTERS } from "@/lib/messages/first-words";
import type { SendRequest } from "@/lib/messages/send-request";

/** As the list's statement cuts it, by code points. */
const partOf = (content: SendRequest["content"], type: keyof typeof BEFORE_WORDS): string | null => {
  const stored = JSON.stringify({ phone: "447700900123", revalidateFlowSession: false, content });
  const at = stored.indexOf(BEFORE_WORDS[type]);
  return at < 0 ? null : [...stored.slice(at + BEFORE_WORDS[type].length)].slice(0, READ_CHARACTERS).join("");
};

test("the words of a text are its beginning on one line, whatever characters it has and wherever it was cut", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('"', "\\", "\n", "\u0000", "\ud83d", "🙂", "é"), fc.string()),
  });
  fc.assert(
    fc.property(text, (text) => {
      const words = firstWords(partOf({ type: "text", text }, "text") ?? "") ?? "";
      const line = text.toWellFormed().replace(/\s+/g, " ").trim();
      expect(line.startsWith(words.replace(/…$/, ""))).toBe(true);
      if (line !== "" && [...text].length < 40) expect(words).not.toBe("");
    }),
  );
  expect(firstWords(partOf({ type: "text", text: `${"a".repeat(99)}bcd` }, "text") ?? "")).toBe(`${"a".repeat(99)}b…`);
});

test("of an interactive message they are its body's, also where its source says the same", () => {
  const interactive = { type: "button", header: { type: "text", text: "Head" }, body: { text: "Which size?" } };
  const content = { type: "interactive" as const, source: JSON.stringify(interactive), interactive };
  expect(firstWords(partOf(content, "interactive") ?? "")).toBe("Which size?");
  const without = { ...content, source: '{"body":{"text":"no"}}', interactive: { type: "product" } };
  expect(partOf(without, "interactive")).toBe(null);
});
