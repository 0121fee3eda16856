// npm run db:generate -- NAME: writes a migration from the changes in db/schema. drizzle-kit compares with the newest
// snapshot alone, so the former ones go.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const META = path.join(ROOT, "db", "migrations", "meta");

const [name = ""] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error("Name what the migration does, in small letters: npm run db:generate -- key_limits");
  process.exit(1);
}
const drizzle = path.join(ROOT, "node_modules", "drizzle-kit", "bin.cjs");
const { status } = spawnSync(process.execPath, [drizzle, "generate", "--name", name], { cwd: ROOT, stdio: "inherit" });
countAnew(name);
const snapshots = readdirSync(META).filter((file) => file.endsWith("_snapshot.json"));
for (const former of snapshots.toSorted().slice(0, -1)) rmSync(path.join(META, former));
process.exit(status ?? 1);

/**
 * Begins a migration that adds a column to counts by counting all messages again. The column has no default, so that servers
 * of the release before, which do not know it, count nothing instead of wrongly.
 */
function countAnew(name) {
  const folder = path.join(ROOT, "db", "migrations");
  const file = readdirSync(folder).findLast((one) => one.endsWith(`_${name}.sql`));
  const source = file ? readFileSync(path.join(folder, file), "utf8") : "";
  const [, counts] = /ALTER TABLE "(messages|priced)_by_(?:quarter|day)" ADD COLUMN/.exec(source) ?? [];
  if (!counts) return;
  const statements = [
    `TRUNCATE "${counts}_by_quarter", "${counts}_by_day";`,
    `DELETE FROM "roll_up_marks" WHERE "id" = 'quarters';`,
  ];
  const lines = statements.map((statement) => `${statement}--> statement-breakpoint\n`);
  writeFileSync(path.join(folder, file), lines.join("") + source);
}
