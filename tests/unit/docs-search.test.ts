import { describe, expect, test } from "vitest";
import { docsPage } from "@/lib/docs/docs-page";
import { ALL_DOCS_PAGES, DOCS_PAGES } from "@/lib/docs/docs-pages";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { fillPlaceholders } from "@/lib/docs/placeholders";
import { PLATFORM_CODES } from "@/lib/docs/platform-errors";
import { searchOf } from "@/lib/docs/search";
import { indexedPage, searchIndex } from "@/lib/docs/search-index";

const READER = { origin: "https://messages.example.com", apiKey: null, perAddress: 100, perKey: 300 };
const INDEX = searchIndex(READER);
const search = searchOf(INDEX);
const firstOf = (words: string) => search(words)[0]?.href;

describe("the index", () => {
  test("has every page, and every anchor of a heading in its order", () => {
    expect(INDEX.map(({ path }) => path)).toEqual(ALL_DOCS_PAGES);
    for (const { path, sections } of INDEX) {
      const markdown = fillPlaceholders(docsPage(path)?.markdown ?? "", READER).replace(/^```[\s\S]*?^```$/gm, "");
      const anchors = [...markdown.matchAll(/^#{2,3} .* \{#([\w-]+)\}$/gm)].map(([, anchor]) => anchor);
      expect(
        sections.map(([anchor]) => anchor),
        path,
      ).toEqual(["", ...anchors]);
    }
  });

  test("is plain text without markup, anchors or empty pages", () => {
    for (const { path, title, sections } of INDEX) {
      expect(title, path).not.toBe("");
      for (const [anchor, heading, text] of sections) {
        expect(`${heading} ${text}`, `${path}#${anchor}`).not.toMatch(/\{#|\[\[|\]\(|```|\*\*|\s{2,}\S*\s{2,}/);
        if (anchor !== "") expect(heading, `${path}#${anchor}`).not.toBe("");
      }
      expect(sections.map(([, , text]) => text).join("").length, path).toBeGreaterThan(20);
    }
  });

  test("stays small: under 200 KB as JSON", () => {
    expect(JSON.stringify(INDEX).length).toBeLessThan(200_000);
  });

  test("leaves out code blocks and their captions, and keeps tables and lists", () => {
    const markdown =
      "# A page\n\nIts lead.\n\n## One {#one}\n\n**Body**\n\n```json\n{}\n```\n\n| `a` | b |\n| --- | --- |\n| 1 | [two](/x) |\n\n- `field` string {#f}\n\n  What it *Sent*.";
    expect(indexedPage("/docs/a", "A page", markdown).sections).toEqual([
      ["", "", "Its lead."],
      ["one", "One", "a b 1 two field string What it Sent."],
    ]);
  });
});

describe("a search", () => {
  test("for an error code finds its page first, in either case", () => {
    for (const code of ERROR_CODES) {
      expect(firstOf(code)).toBe(`/docs/errors/${code}`);
      expect(firstOf(` ${code.toLowerCase()} `)).toBe(`/docs/errors/${code}`);
    }
    for (const code of PLATFORM_CODES) expect(firstOf(`${code}`)).toBe(`/docs/errors/platform/${code}`);
  });

  test("for the title of a page finds it first", () => {
    for (const path of DOCS_PAGES) expect(firstOf(docsPage(path)?.title ?? ""), path).toBe(path);
  });

  test.each([
    ["RATE_LIM", "/docs/errors/RATE_LIMIT_EXCEEDED"],
    ["template", "/docs/templates"],
    ["webhook", "/docs/webhooks"],
    ["error", "/docs/errors"],
    ["limits", "/docs/reference#limits"],
    ["template variables", "/docs/templates#variables"],
    ["check signature", "/docs/webhooks#signature"],
  ])("for %s finds %s first", (words, href) => {
    expect(firstOf(words)).toBe(href);
  });

  test("forgives a typing error, and leaves out words that every page has", () => {
    expect(search("idempotancy").map(({ href }) => href)).toContain("/docs/reference#idempotency");
    expect(search("how do I poll?").map(({ href }) => href)).toContain("/docs/polling");
  });

  test("finds nothing for what is not there, and nothing for no words", () => {
    expect(search("zzzqqq")).toEqual([]);
    expect(search(" ?! ")).toEqual([]);
  });

  test("shows at most twelve results, three of a page, each with the text around the word", () => {
    const results = search("message");
    expect(results).toHaveLength(12);
    const paths = results.map(({ href }) => href.split("#")[0]);
    for (const path of paths) expect(paths.filter((other) => other === path).length).toBeLessThan(4);
    const [{ snippet } = { snippet: "" }] = search("card_index");
    expect(snippet).toContain("card_index");
    expect(snippet.length).toBeLessThan(150);
  });

  test("leads to headings that are in the index", () => {
    const hrefs = new Set(INDEX.flatMap(({ path, sections }) => sections.map(([id]) => (id ? `${path}#${id}` : path))));
    for (const words of ["a", "e", "message", "error", "template", "1"])
      for (const { href } of search(words)) expect(hrefs.has(href), href).toBe(true);
  });
});
