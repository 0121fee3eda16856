import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { docsPage, withWholeLinks } from "@/lib/docs/docs-page";
import { ALL_DOCS_PAGES, DOCS_PAGES } from "@/lib/docs/docs-pages";
import { blocks, bullets, codeBlock, table, terms } from "@/lib/docs/markdown";
import { fillPlaceholders, showsCalls } from "@/lib/docs/placeholders";
import { snippetsOf } from "@/lib/docs/snippets";

const ORIGIN = "https://messages.example.com";
const READER = { origin: ORIGIN, apiKey: null, perAddress: 100, perKey: 300 };

describe("a page of the docs", () => {
  test("begins with its title and its lead, and has nothing left to fill", () => {
    for (const path of ALL_DOCS_PAGES) {
      const page = docsPage(path);
      const markdown = fillPlaceholders(page?.markdown ?? "", READER);
      expect(markdown, path).toMatch(/^# .+\n\n\S/);
      expect(markdown, path).not.toMatch(/\[\[|undefined|\n\n\n\n/);
      // A heading without an anchor cannot be linked to; of two equal ones only the first can.
      expect(markdown.match(/^#{2,3} (?!.* \{#[\w-]+\}$).*/gm), path).toBeNull();
      const anchors = markdown.match(/ \{#[\w-]+\}$/gm) ?? [];
      expect(new Set(anchors).size, path).toBe(anchors.length);
      expect(page?.description.length, path).toBeGreaterThan(11);
    }
  });

  test("has a file, and every file a page, or several as that of WhatsApp's codes", () => {
    const files = readdirSync("lib/docs/pages", { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".md"),
    );
    const paths = files.map((file) => `/docs/${file.replaceAll("\\", "/").slice(0, -".md".length)}`);
    const others = ["/docs/index", "/docs/llms", "/docs/whatsapp-errors"];
    expect(paths.toSorted()).toEqual([...DOCS_PAGES, ...others].toSorted());
  });

  test("is known by its own path only", () => {
    for (const path of [
      "/docs/",
      "/docs/index",
      "/docs/llms",
      "/docs/whatsapp-errors",
      "/docs/../docs/errors",
      "/docs/errors/toString",
    ]) {
      expect(docsPage(path), path).toBeUndefined();
    }
    expect(docsPage("/docs/errors/platform/424242")).toBeUndefined();
  });

  test("carries the id of the reader's key where it shows calls", () => {
    const { markdown = "" } = docsPage("/docs/quickstart") ?? {};
    const own = fillPlaceholders(markdown, { ...READER, apiKey: "pk_test_own" });
    expect(own).toContain("export CHAT_API_KEY=pk_test_own");
    expect(own).toContain('-H "apiKey: pk_test_own"');
    expect(own).not.toContain("$CHAT_API_KEY");
    const paths = DOCS_PAGES.filter((path) => showsCalls(docsPage(path)?.markdown ?? ""));
    expect(paths).toEqual(["/docs/quickstart", "/docs/reference", "/docs/templates", "/docs/interactive"]);
  });

  test("refuses a live part that there is not", () => {
    expect(() => fillPlaceholders("[[no-such-part]]", READER)).toThrow("no live part [[no-such-part]]");
  });
});

describe("code that is shown", () => {
  const pages = (apiKey: string | null) =>
    ALL_DOCS_PAGES.map((path) => fillPlaceholders(docsPage(path)?.markdown ?? "", { ...READER, apiKey }));
  const files = ["README.md", "CONTRIBUTING.md", "clients/typescript/README.md", "clients/python/README.md"];
  const blocksOf = (markdown: string) =>
    [...markdown.matchAll(/^```(?:ts|js|python)\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);

  /** Of Python, JavaScript and TypeScript. */
  const unusedImports = (code: string): string[] => {
    const line = /^(?:from \S+ )?import (?:type )?(?:\{([^}]+)\}|([\w, ]+?))(?: from .*)?;?$/gm;
    const names = [...code.matchAll(line)].flatMap(([, braced, plain]) => (braced ?? plain ?? "").split(","));
    const rest = code.replaceAll(line, "");
    return names
      .map(
        (name) =>
          name
            .replace(/^\s*type /, "")
            .split(" as ")
            .at(-1)
            ?.trim() ?? "",
      )
      .filter((name) => name !== "" && !new RegExp(`\\b${name}\\b`).test(rest));
  };

  test("imports nothing that it does not use", () => {
    const call = { method: "POST", path: "/messages/send", body: {} } as const;
    const shown = [...pages(null), ...pages("pk_test_1"), ...files.map((file) => readFileSync(file, "utf8"))];
    const codes = [...shown.flatMap(blocksOf), ...Object.values(snippetsOf(call, { origin: ORIGIN, apiKey: null }))];
    expect(codes.filter((code) => /^(from|import) /m.test(code)).length).toBeGreaterThan(40);
    expect(codes.flatMap((code) => unusedImports(code).map((name) => `${name} in\n${code}`))).toEqual([]);
  });
});

describe("its twin", () => {
  test.each([
    ["/docs/polling", "/docs/polling.md"],
    ["/docs/polling#budget", "/docs/polling.md#budget"],
    ["/docs/errors/NOT_FOUND", "/docs/errors/NOT_FOUND.md"],
    ["/docs", "/docs.md"],
    ["/docs/client.ts", "/docs/client.ts"],
    ["/dashboard/settings#plan", "/dashboard/settings#plan"],
  ])("leads from %s to %s", (href, path) => {
    expect(withWholeLinks(`[there](${href})`, ORIGIN)).toBe(`[there](${ORIGIN}${path})`);
  });

  test("leads to other sites as they are", () => {
    expect(withWholeLinks("[there](https://example.org/docs)", ORIGIN)).toBe("[there](https://example.org/docs)");
  });
});

test("Markdown is written as it is read", () => {
  expect(table(["A", "B"], [["`x|y`", 1]])).toBe("| A | B |\n| --- | --- |\n| `x\\|y` | 1 |");
  expect(blocks("a", "", bullets(["b", "c"]))).toBe("a\n\n- b\n- c");
  expect(terms([["`phone`", "Digits."]])).toBe("- `phone`\n\n  Digits.");
  expect(codeBlock("Example", "json", "{}")).toBe("**Example**\n\n```json\n{}\n```");
});
