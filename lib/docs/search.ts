import MiniSearch from "minisearch";
import { fold } from "@/lib/core/fold";
import type { IndexedPage } from "./search-index";

export type SearchResult = { href: string; title: string; heading: string; snippet: string };
export type Search = (words: string) => SearchResult[];

/** `shown` is the text for snippets, because an error page starts with just its code. */
type Entry = Omit<SearchResult, "snippet"> & { id: number; path: string; code: string; text: string; shown: string };

const MAX_RESULTS = 12;
const MAX_OF_A_PAGE = 3;
const SNIPPET_CHARACTERS = 140;

/** Builds the search: each word must be a prefix of or close to a word in the section; pages rank before sections. */
export function searchOf(pages: readonly IndexedPage[]): Search {
  const entries = entriesOf(pages);
  const engine = new MiniSearch<Entry>({
    fields: ["title", "heading", "text"],
    tokenize: indexedWords,
    processTerm: fold,
    searchOptions: {
      tokenize: askedWords,
      prefix: true,
      fuzzy: (term) => (/^\p{L}{5,}$/u.test(term) ? 0.2 : false),
      boost: { title: 5, heading: 3 },
      boostDocument: (id) => (entries[id]?.href.includes("#") ? 1 : 2),
    },
  });
  engine.addAll(entries);
  return (words) => {
    const all = engine.search(words, { combineWith: "AND" });
    const found = all.length > 0 ? all : engine.search(words);
    const exact = entries.filter((entry) => isNamed(entry, fold(words)));
    const rest = found.flatMap(({ id }) => entries[id] ?? []).filter((entry) => !exact.includes(entry));
    return mostOfEach([...exact, ...rest]).map(({ href, title, heading, shown }) => ({
      href,
      title,
      heading,
      snippet: snippetOf(shown, askedWords(words)),
    }));
  };
}

const entriesOf = (pages: readonly IndexedPage[]): Entry[] =>
  pages
    .flatMap(({ path, title, sections }) => {
      const [, errorCode = ""] = /^\/docs\/errors\/(?:platform\/)?(\w+)$/.exec(path) ?? [];
      return sections.map(([anchor, heading, text]) => {
        const href = anchor === "" ? path : `${path}#${anchor}`;
        const code = anchor === "" ? errorCode : "";
        return { path, href, code, title, heading, text, shown: code === "" ? text : (sections[1]?.[2] ?? text) };
      });
    })
    .map((entry, id) => ({ ...entry, id }));

/** Matches a page's code or title, also in the plural: "template" matches the page Templates. */
const isNamed = ({ code, title, href }: Entry, name: string): boolean =>
  !href.includes("#") && [name, `${name}s`].includes(fold(code || title));

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

const COMMON = new Set("a an and are can do does for how i in is it my of on or the to what when why with".split(" "));

/** Returns the query's words without stop words, unless there are no others. */
function askedWords(text: string): string[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !COMMON.has(fold(word)));
  return telling.length > 0 ? telling : words;
}

/** Indexes names such as `RATE_LIMIT_EXCEEDED` or `templateName` by each of their parts, too. */
const indexedWords = (text: string): string[] =>
  wordsOf(text).flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
    return parts.length > 1 ? [word, ...parts] : [word];
  });

function mostOfEach(entries: Entry[]): Entry[] {
  const counts = new Map<string, number>();
  const isShown = ({ path }: Entry) => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    return (counts.get(path) ?? 0) <= MAX_OF_A_PAGE;
  };
  return entries.filter(isShown).slice(0, MAX_RESULTS);
}

/** Returns a snippet that starts shortly before the first matched word. */
function snippetOf(text: string, words: string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((place) => place >= 0);
  const first = Math.min(...places, text.length);
  const from = first === text.length || first < 40 ? 0 : text.indexOf(" ", first - 40) + 1;
  const cut = text.slice(from, from + SNIPPET_CHARACTERS);
  const isCut = from + SNIPPET_CHARACTERS < text.length;
  return `${from > 0 ? "…" : ""}${isCut ? `${cut.replace(/[\s.,:;]+\S*$/, "")}…` : cut}`;
}
