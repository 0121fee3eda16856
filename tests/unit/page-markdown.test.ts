import { describe, expect, test } from "vitest";
import { pageMarkdown } from "@/lib/docs/page-markdown";

const ORIGIN = "https://messages.example.com";
const markdown = (html: string) => pageMarkdown(`<nav>Menu</nav><main id="main" class="x">${html}</main>`, ORIGIN);

describe("a page of the docs as Markdown", () => {
  test.each([
    ["its main part alone", "<h1>Title</h1><p>Words.</p>", "# Title\n\nWords.\n"],
    ["a heading without its anchor", '<h2><a href="#a">Key<span aria-hidden="true">#</span></a></h2>', "## Key\n"],
    ["a list in a list", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c\n"],
    [
      "terms and their definitions",
      "<dl><div><dt><code>phone</code><span>string</span></dt><dd>Digits.</dd></div><div><dt>b</dt><dd>c</dd></div></dl>",
      "- `phone` string: Digits.\n- b: c\n",
    ],
    [
      "a table, whose cells may hold a bar",
      "<table><caption>All</caption><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><th><div>x|y</div></th><td>z</td></tr></tbody></table>",
      "| A | B |\n| --- | --- |\n| x\\|y | z |\n",
    ],
    ["what is folded up", "<details><summary><code>404</code></summary><p>Why.</p></details>", "#### `404`\n\nWhy.\n"],
  ])("keeps %s", (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  test.each([
    ["/docs/polling", "/docs/polling.md"],
    ["/docs/polling#budget", "/docs/polling.md"],
    ["/docs/errors/NOT_FOUND", "/docs/errors/NOT_FOUND.md"],
    ["/docs", "/docs.md"],
    ["/docs/client.ts", "/docs/client.ts"],
    ["/dashboard/settings#plan", "/dashboard/settings#plan"],
  ])("leads from %s to %s", (href, path) => {
    expect(markdown(`<a href="${href}">there</a>`)).toBe(`[there](${ORIGIN}${path})\n`);
  });

  test("leads to other sites as they are", () => {
    expect(markdown('<a href="https://example.org/docs">there</a>')).toBe("[there](https://example.org/docs)\n");
  });

  test("keeps code byte for byte, with a fence that is longer than any in it", () => {
    const code = "  if (a &lt; b) {\n\n    `x`\n```\n  }";
    expect(markdown(`<pre tabindex="0"><code>${code}</code></pre>`)).toBe(
      "````\n  if (a < b) {\n\n    `x`\n```\n  }\n````\n",
    );
  });

  test("refuses what is no page", () => {
    expect(() => pageMarkdown("<p>Sign in first</p>", ORIGIN)).toThrow("no main part");
  });
});
