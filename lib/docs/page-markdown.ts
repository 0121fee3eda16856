import Turndown from "turndown";
import { TWINNED_PAGES, twinOf } from "./markdown-twins";

/** The main part of a page of the docs as Markdown. Links are whole addresses below `origin`, to Markdown where there is any. */
export const pageMarkdown = (html: string, origin: string): string => {
  const main = html.match(/<main\b[^>]*>([\s\S]*?)<\/main>/)?.[1];
  if (main === undefined) throw new Error("the page has no main part");
  return `${converterFor(origin).turndown(main)}\n`;
};

const converterFor = (origin: string): Turndown => {
  const converter = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  for (const [name, rule] of Object.entries(RULES)) converter.addRule(name, rule);
  return converter
    .addRule("link", { filter: "a", replacement: (words, node) => link(words, attribute(node, "href"), origin) })
    .addRule("screen-only", { filter: isScreenOnly, replacement: () => "" });
};

/** What is there to be clicked, or to be seen. */
const isScreenOnly = (node: HTMLElement): boolean =>
  ["BUTTON", "FIELDSET", "NAV", "SVG", "CAPTION"].includes(node.nodeName.toUpperCase()) ||
  node.getAttribute("aria-hidden") === "true" ||
  node.getAttribute("aria-label") === "On this page";

const RULES: Record<string, Turndown.Rule> = {
  caption: { filter: "figcaption", replacement: (label) => block(`**${label.trim()}**`) },
  summary: { filter: "summary", replacement: (words) => block(`#### ${words.trim()}`) },
  item: {
    filter: "li",
    replacement: (words, node) => {
      const lines = words
        .trim()
        .replace(/\n{2,}(?= *- )/g, "\n")
        .replace(/\n(?=.)/g, "\n  ");
      return `- ${lines}${node.nextSibling ? "\n" : ""}`;
    },
  },
  "heading of an item": {
    filter: (node) => /^H\d$/.test(node.nodeName) && node.parentNode?.nodeName === "LI",
    replacement: (words) => block(`**${words.trim()}**`),
  },
  // Parts of a term stand apart by their style only.
  "part of a term": {
    filter: (node) => node.nodeName === "SPAN" && node.parentNode?.nodeName === "DT",
    replacement: (words) => ` ${words}`,
  },
  "term with its definition": {
    filter: (node) => node.nodeName === "DIV" && node.parentNode?.nodeName === "DL",
    replacement: (words) => `\n${words.trim()}`,
  },
  term: { filter: "dt", replacement: (words) => `- ${words.trim()}: ` },
  definition: { filter: "dd", replacement: (words) => `${words.trim().replace(/\n/g, "\n  ")}\n` },
  cell: {
    filter: ["th", "td"],
    replacement: (words) =>
      ` ${words
        .trim()
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")} |`,
  },
  row: {
    filter: "tr",
    replacement: (cells, node) => {
      const isHead = node.parentNode?.nodeName === "THEAD";
      return `|${cells}\n${isHead ? `|${" --- |".repeat(node.childNodes.length)}\n` : ""}`;
    },
  },
  rows: { filter: ["thead", "tbody"], replacement: (rows) => rows },
  table: { filter: "table", replacement: block },
};

function block(words: string): string {
  return `\n\n${words}\n\n`;
}

/** An anchor within a page has no place in its twin. */
const link = (words: string, href: string, origin: string): string => {
  if (href === "" || href.startsWith("#")) return words;
  const url = new URL(href, origin);
  const isTwinned = url.origin === origin && TWINNED_PAGES.includes(url.pathname);
  return `[${words.trim()}](${isTwinned ? `${origin}${twinOf(url.pathname)}` : url.href})`;
};

const attribute = (node: Turndown.Node, name: string): string =>
  "getAttribute" in node ? (node.getAttribute(name) ?? "") : "";
