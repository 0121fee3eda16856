import fc from "fast-check";
import { expect, test } from "vitest";
import { characterCount } from "@/lib/core/text";
import { composeMail } from "@/lib/mail/compose-mail";

const part = fc.record({
  subject: fc.string({ unit: "binary" }),
  paragraphs: fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 3 }),
  link: fc.record({ label: fc.string({ unit: "binary" }) }),
  url: fc.webUrl({ withFragments: true, withQueryParameters: true }),
});

test("whatever it says, a mail's HTML has the elements of its own alone, and its subject is one short line", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const { subject, html } = composeMail(parts, "why");
      expect(subject).not.toMatch(/[\r\n]/);
      expect(characterCount(subject)).toBeLessThanOrEqual(120);
      const body = html.slice(html.indexOf("<body>"));
      const tags = [...body.matchAll(/<\/?([^\s>/]+)/g)].map(([, tag]) => tag);
      expect(new Set(tags)).toEqual(new Set(["body", "div", "p", "a", "html"]));
      expect(tags.filter((tag) => tag === "a")).toHaveLength(2 * parts.length);
    }),
  );
});

test("the text part holds each paragraph and each link, and a digest says how many", () => {
  const one = { subject: "One", paragraphs: ["First."], link: { label: "Open" }, url: "https://example.test/1" };
  const two = { ...one, subject: "Two", paragraphs: ["Second."], url: "https://example.test/2" };
  const { subject, text } = composeMail([one, two], "why");
  expect(subject).toBe("2 alerts: One");
  expect(text).toBe("First.\n\nOpen:\nhttps://example.test/1\n\nSecond.\n\nOpen:\nhttps://example.test/2\n\n-- \nwhy");
});

test("a long subject ends between two characters", () => {
  const subject = `x${"👩🏽‍🚀".repeat(40)}`;
  const mail = composeMail(
    [{ subject, paragraphs: ["Why."], link: { label: "Open" }, url: "https://example.test" }],
    "",
  );
  expect(mail.subject).toMatch(/^x(👩🏽‍🚀)+…$/u);
});
