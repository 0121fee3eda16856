import { lexer, type MarkedToken, type Token } from "marked";
import { docsPage } from "./docs-page";
import { ALL_DOCS_PAGES } from "./docs-pages";
import { ANCHOR } from "./markdown";
import { fillPlaceholders, type Reader } from "./placeholders";

/** A page's intro has no anchor; its heading is the page's heading if that differs from the title. */
type IndexedSection = [anchor: string, heading: string, text: string];
export type IndexedPage = { path: string; title: string; sections: IndexedSection[] };

/** Returns every docs page and heading as plain text, as shown to `reader`. */
export function searchIndex(reader: Reader): IndexedPage[] {
  return ALL_DOCS_PAGES.flatMap((path) => {
    const page = docsPage(path);
    return page ? [indexedPage(path, page.title, fillPlaceholders(page.markdown, reader))] : [];
  });
}

/** Splits a page at its headings of the first three levels, without its code blocks. */
export function indexedPage(path: string, title: string, markdown: string): IndexedPage {
  const sections: IndexedSection[] = [];
  for (const token of lexer(markdown) as MarkedToken[]) {
    if (token.type === "heading" && token.depth <= 3) {
      const [, anchor = ""] = ANCHOR.exec(token.text) ?? [];
      const heading = plain(token.tokens).trim();
      sections.push([anchor, title.endsWith(heading) ? "" : heading, ""]);
    } else if (!isCaption(token)) {
      const section = sections.at(-1);
      if (section) section[2] = `${section[2]} ${plainOf(token)}`.trim().replaceAll(/\s+/g, " ");
    }
  }
  return { path, title, sections };
}

/** The bold paragraph above a code block. */
const isCaption = (token: MarkedToken): boolean =>
  token.type === "paragraph" && token.tokens.length === 1 && token.tokens[0]?.type === "strong";

const plain = (tokens: Token[] = []): string => tokens.map((token) => plainOf(token as MarkedToken)).join("");

function plainOf(token: MarkedToken): string {
  switch (token.type) {
    case "code":
    case "space":
      return " ";
    case "list":
      return token.items.map(({ tokens }) => `${plain(tokens)} `).join("");
    case "table":
      return [token.header, ...token.rows]
        .map((cells) => cells.map((cell) => `${plain(cell.tokens)} `).join(""))
        .join("");
    case "paragraph":
    case "heading":
      return `${plain(token.tokens)} `;
    case "text":
      return (token.tokens ? plain(token.tokens) : token.text).replace(ANCHOR, "");
    case "codespan":
    case "escape":
      return token.text;
    default:
      return "tokens" in token ? plain(token.tokens) : "";
  }
}
