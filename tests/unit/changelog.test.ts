import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import manifest from "@/package.json" with { type: "json" };

const CHANGELOG = readFileSync("CHANGELOG.md", "utf8");
/** Newest first. */
const RELEASES = CHANGELOG.split(/^## /m)
  .slice(1)
  .map((text) => ({
    version: text.split(/\s/)[0],
    migrations: [...text.matchAll(/Migrations?: (\d{4})(?:–(\d{4}))?/g)].flatMap(([, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i),
    ),
  }));

test("the version of package.json heads the changelog, below what is unreleased", () => {
  const newest = RELEASES[0]?.version === "Unreleased" ? RELEASES[1] : RELEASES[0];
  expect(newest?.version).toBe(manifest.version);
});

test("every migration belongs to one release or to what is unreleased, in order", () => {
  expect(RELEASES.toReversed().flatMap(({ migrations }) => migrations)).toEqual(journal.entries.map(({ idx }) => idx));
});
