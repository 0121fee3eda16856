import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

/** The words of the lint rule, which reads the texts in code, each with what is written instead. */
const GLOSSARY = [
  ...readFileSync("scripts/plain-words.grit", "utf8").matchAll(/r"\(\?is\)\.\*(.+)\.\*", \$better = "(.+)"/g),
].map(([, word = "", better = ""]): [RegExp, string] => [new RegExp(word, "i"), better]);

const PAGES = readdirSync("lib/docs/pages", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `lib/docs/pages/${file}`);

test.each(GLOSSARY)("no page of the docs says %s; it says “%s”", (word) => {
  const found = PAGES.flatMap((file) =>
    readFileSync(file, "utf8")
      .replaceAll(/ \{#[\w-]+\}/g, "")
      .split("\n")
      .filter((line) => word.test(line))
      .map((line) => `${file}: ${line.trim().slice(0, 160)}`),
  );
  expect(found).toEqual([]);
});

test("the linter refuses such a word in a text with the better one, and takes it as a key and in a comment", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-words-"));
  try {
    const plugins = [path.resolve("scripts/plain-words.grit")];
    writeFileSync(path.join(folder, "biome.json"), JSON.stringify({ root: true, plugins }));
    writeFileSync(path.join(folder, "sample.tsx"), SAMPLE);
    const biome = path.resolve("node_modules/@biomejs/biome/bin/biome");
    const { stderr } = spawnSync(process.execPath, [biome, "lint"], { cwd: folder, encoding: "utf8" });
    const said = [...stderr.matchAll(/× (Write .+)/g)].map(([, message]) => message);
    expect(said, stderr).toEqual(
      ["fix", "reports, receives", "paused", "again"].map((word) => `Write “${word}” here.`),
    );
    expect(GLOSSARY).toHaveLength(14);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const SAMPLE = `export const [TEXT, KEY] = ["We mend it", "mend"]; // mend it
export const more = <p title="It is told now">It is switched off {\`\${KEY} anew\`}</p>;
`;

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
