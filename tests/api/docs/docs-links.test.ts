import { beforeAll, describe, expect, test } from "vitest";
import { DOCS_PAGES, MACHINE_FILES } from "@/lib/docs/docs-pages";
import { testServers } from "../../support/environment";
import { readAt, signIn } from "../../support/session";
import { provisionWorkspace } from "../../support/workspace";

const FORMER_ANCHORS = [
  "quickstart",
  "test-mode",
  "statuses",
  "idempotency",
  "limits",
  "polling",
  "line-ids",
  "errors",
];

type Page = { status: number; html: string };
/** By path: every page of the docs, and everything that one of them links to. */
const pages = new Map<string, Page>();
let cookie = "";

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

/** As the browser reads it, on the page where it stands; undefined for another site. */
const resolved = (href: string, path: string): URL | undefined => {
  const url = new URL(href, `${testServers().baseUrl}${path}`);
  return url.origin === testServers().baseUrl ? url : undefined;
};

const visit = async (path: string): Promise<void> => {
  if (pages.has(path)) return;
  pages.set(path, { status: 0, html: "" });
  const { status, text } = await readAt(path, cookie);
  pages.set(path, { status, html: text });
  if (!/^\/docs(\/|$)/.test(path) || path.includes(".")) return;
  for (const href of linksOf(text)) {
    const url = resolved(href, path);
    if (url) await visit(url.pathname);
  }
};

beforeAll(async () => {
  const { owner } = await provisionWorkspace();
  cookie = await signIn(owner);
  await visit("/docs");
});

const docs = () => [...pages].filter(([path]) => /^\/docs(\/[^.]*)?$/.test(path));

describe("200", () => {
  test("everything that a page of the docs links to is there, for an owner who follows it", () => {
    expect(pages.size).toBeGreaterThan(60);
    expect([...pages].filter(([, { status }]) => status !== 200).map(([path, { status }]) => [path, status])).toEqual(
      [],
    );
  });

  test("the index leads to every page and every file, and each of their anchors stands where a link says", () => {
    for (const path of DOCS_PAGES) expect(pages.has(path), path).toBe(true);
    for (const [file] of MACHINE_FILES) expect(pages.has(file), file).toBe(true);
    const lost = docs().flatMap(([path, { html }]) =>
      linksOf(html).filter((href) => {
        const url = resolved(href, path);
        const target = url && pages.get(url.pathname);
        return (
          url?.pathname.startsWith("/docs") && url.hash !== "" && !target?.html.includes(` id="${url.hash.slice(1)}"`)
        );
      }),
    );
    expect(lost).toEqual([]);
  });

  test("the anchors of the one long page that was are on the index", () => {
    const index = pages.get("/docs")?.html ?? "";
    expect(FORMER_ANCHORS.filter((anchor) => !index.includes(` id="${anchor}"`))).toEqual([]);
  });

  test("each page has one heading of the first level, its own title and a description", () => {
    const titles = new Map<string, string>();
    for (const [path, { html }] of docs()) {
      expect(html.match(/<h1\b/g), path).toHaveLength(1);
      const title = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? "";
      expect([title, titles.get(title)], path).toEqual([expect.stringMatching(/Docs · Switchboard$/), undefined]);
      titles.set(title, path);
      expect(/<meta name="description" content="([^"]{12,})"/.exec(html)?.[1], path).toBeDefined();
    }
  });
});
