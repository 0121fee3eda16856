import { beforeAll, describe, expect, test } from "vitest";
import { ALL_DOCS_PAGES, markdownPath } from "@/lib/docs/docs-pages";
import { testServers } from "../../support/environment";
import { expectError } from "../../support/sends";
import { request } from "../../support/workspace";

type Twins = { html: string; headers: Headers; markdown: string };

const get = (path: string) => request("GET", `${testServers().baseUrl}${path}`);

const twins = new Map<string, Twins>();
beforeAll(async () => {
  for (const page of ALL_DOCS_PAGES) {
    const [html, twin] = [await get(page), await get(markdownPath(page))];
    expect([page, html.status, twin.status]).toEqual([page, 200, 200]);
    twins.set(page, { html: html.text, headers: twin.headers, markdown: twin.text });
  }
});

const FENCED = /^```\w+\n([\s\S]*?)\n```$/gm;
const CODE = /`[^`\n]*`/g;

const withoutCode = (markdown: string) => markdown.replace(FENCED, "").replace(CODE, "");

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };
const decoded = (html: string) =>
  html
    .replace(/<!-- -->|<\/?span[^>]*>/g, "")
    .replace(/&(lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity] ?? entity);

describe("200", () => {
  test("every page of the docs has a twin in Markdown, which it names in its head, with one title and its words", () => {
    expect(twins.size).toBeGreaterThan(60);
    for (const [page, { html, headers, markdown }] of twins) {
      expect(headers.get("content-type"), page).toBe("text/markdown; charset=utf-8");
      const alternate = `<link rel="alternate" type="text/markdown" href="${markdownPath(page)}"/>`;
      expect(html, page).toContain(alternate);
      const title = decoded(/<h1[^>]*>([^<]+)</.exec(html)?.[1] ?? "");
      expect(markdown.replaceAll("\\", "").split("\n")[0], page).toBe(`# ${title}`);
      expect(withoutCode(markdown).match(/^# /gm), page).toHaveLength(1);
      expect(markdown.length, page).toBeGreaterThan(200);
    }
  });

  test("every link is a whole address of this host; within the docs it leads to a twin, and what it names is there", async () => {
    const { baseUrl } = testServers();
    const addresses = new Set<string>();
    for (const [page, { markdown }] of twins) {
      for (const [, address = ""] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) {
        expect(address, page).toMatch(/^https?:\/\//);
        if (address.startsWith(baseUrl)) addresses.add(address.slice(baseUrl.length));
      }
    }
    const paths = [...addresses];
    const pages = paths.filter((path) => /^\/docs(\/|\.md)/.test(path) && !/\.(ts|json|whl|tgz)$/.test(path));
    expect(pages.length).toBeGreaterThan(60);
    for (const address of pages) {
      const [path = "", anchor] = address.split("#");
      expect(ALL_DOCS_PAGES.map(markdownPath)).toContain(path);
      if (anchor) expect(twins.get(path.replace(/\.md$/, ""))?.markdown, address).toContain(` {#${anchor}}\n`);
    }
    for (const path of paths.filter((path) => !pages.includes(path))) {
      // The dashboard's pages send a stranger to sign in first.
      expect([200, 307], path).toContain((await get(path)).status);
    }
  });
});

describe("404", () => {
  test.each(["/docs/nothing.md", "/docs/errors/NOTHING.md", "/docs/..%2fdashboard.md", "/docs/quickstart.md.md"])(
    "%s is no page",
    async (path) => {
      expectError(await get(path), { status: 404, error: "NOT_FOUND", details: {} });
    },
  );
});
