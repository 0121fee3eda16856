import { readdirSync, readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

/** Words that no text for users has, and what is written instead. */
const GLOSSARY: [RegExp, string][] = [
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\banswers? with\b/i, "returns"],
  [/\b(tells?|told|hears?|heard)\b/i, "reports, receives"],
  [/\b(database|store|platform|server) is away\b/i, "unavailable"],
  [/\bin a ring\b/i, "deadlock"],
  [/\b(takes?|taken|took) back\b/i, "revokes, revoked"],
  [/\bwhat (came|became|comes|becomes) of\b/i, "outcome, status"],
  [/\b(nobody|whoever|everybody|somebody)\b/i, "unknown, anyone, all members"],
  [/\b(in the meantime|meanwhile)\b/i, "say which time"],
  [/\bheadroom\b/i, "remaining requests"],
  [/\bquarter of an hour\b/i, "15-minute window"],
  [/\bswitched off\b/i, "paused"],
  [/\bthe platform(’s|'s)?\b/i, "WhatsApp"],
  [/\banew\b/i, "again"],
];

const files = ["app", "lib", "clients/typescript/src"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(tsx?|md)$/.test(entry.name))
  .map(({ parentPath, name }) => `${parentPath}/${name}`);

test.each(GLOSSARY)("no text for users says %s; it says “%s”", (word) => {
  const found = files.flatMap((file) =>
    textsOf(file)
      .filter((text) => word.test(text))
      .map((text) => `${file}: ${text.trim().slice(0, 160)}`),
  );
  expect(found).toEqual([]);
});

/** The sentences of a page of the docs, or in a file's code: without comments, identifiers and SQL. */
const textsOf = (file: string): string[] => {
  const known = texts.get(file);
  if (known) return known;
  const source = readFileSync(file, "utf8");
  const found = file.endsWith(".md")
    ? source.replaceAll(/ \{#[\w-]+\}/g, "").split("\n")
    : literalsOf(source, file.endsWith("x") ? "tsx" : "ts");
  texts.set(file, found);
  return found;
};

const texts = new Map<string, string[]>();

const literalsOf = (source: string, loader: "ts" | "tsx"): string[] => {
  const { code } = transformSync(source, { loader, jsx: "automatic", target: "esnext" });
  return [...code.matchAll(LITERAL)].flatMap(([, tag, ...texts]) => {
    const text = texts.find((one) => one !== undefined) ?? "";
    return tag || !text.includes(" ") ? [] : [text.replaceAll(/\$\{[^}]*\}/g, "…")];
  });
};

/** A string in any quotes. What stands directly before a template is its tag: SQL. */
const LITERAL = /([\w$)>\]])?(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)')/gs;

/** Comments and the titles of tests, where these words have no other meaning. */
const OLD_WORDS = /\b(mend(s|ed|ing)?|anew|whoever|everybody|somebody|for ever|is told|was told|were told)\b/i;

test("no comment and no test's title has a word of the glossary's left column", () => {
  const sources = ["app", "lib", "db", "scripts", "clients/typescript/src", "tests"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name) && entry.name !== "voice.test.ts")
      .map(({ parentPath, name }) => `${parentPath}/${name}`),
  );
  const found = sources.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, i) => (OLD_WORDS.test(proseOf(line)) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

const proseOf = (line: string): string =>
  [/(?:^|\s)\/\/ (.*)/, /^\s*(?:\/\*\*|\*) (.*)/, /\b(?:test|describe)[.\w]*\((["`'].*)/]
    .map((kind) => kind.exec(line)?.[1] ?? "")
    .join(" ");
