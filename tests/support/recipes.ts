import { readFileSync } from "node:fs";

type Hunk = { before: string; after: string };
export type Recipe = {
  name: string;
  /** In the order in which a reader edits them, with what changes in each. */
  files: { file: string; hunks: Hunk[] }[];
  /** Whether it changes the API's description, and with it the clients. */
  isReleased: boolean;
  /** Every file that is edited by hand. */
  byHand: string[];
};

/** Reads the recipes of CONTRIBUTING.md: each a diff without line numbers. */
export function readRecipes(): Recipe[] {
  const [, text = ""] = readFileSync("CONTRIBUTING.md", "utf8").split("\n## Recipes\n");
  const [recipes = ""] = text.split("\n## ");
  return recipes.split("\n### ").slice(1).map(readRecipe);
}

function readRecipe(text: string): Recipe {
  const [name = ""] = text.split("\n");
  const [, diff = ""] = /```diff\n([\s\S]*?)```/.exec(text) ?? [];
  const files = diff
    .split(/^\+\+\+ /m)
    .slice(1)
    .map((part) => {
      const [file = "", ...hunks] = part.split(/\n@@\n/);
      return { file, hunks: hunks.map(readHunk) };
    });
  const logs = [...text.matchAll(/`((?:CHANGELOG|lib\/docs\/pages\/changelog)\.md)`/g)].map(([, file = ""]) => file);
  const isReleased = text.includes("`npm run openapi && npm run clients:release`");
  return { name, files, isReleased, byHand: [...new Set([...files.map(({ file }) => file), ...logs])] };
}

function readHunk(text: string): Hunk {
  const lines = text.replace(/\n$/, "").split("\n");
  const without = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  return { before: without("+"), after: without("-") };
}

/** Returns a file's text with the hunks applied. Throws where one does not fit exactly once. */
export function applied(text: string, hunks: readonly Hunk[]): string {
  return hunks.reduce((before, hunk) => {
    const [start, rest, ...others] = before.split(hunk.before);
    if (start === undefined || rest === undefined || others.length > 0)
      throw new Error(`does not fit once:\n${hunk.before}`);
    return start + hunk.after + rest;
  }, text);
}
