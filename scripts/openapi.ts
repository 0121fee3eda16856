// `npm run openapi [-- --accept-breaking]`: writes the API's description to docs/openapi.json, the committed copy that shows
// each change in a review. Refuses breaking changes without --accept-breaking.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openApiDocument } from "@/lib/docs/openapi";
import { breakingChanges } from "./openapi-changes";

const FILE = "docs/openapi.json";

const { values } = parseArgs({ options: { "accept-breaking": { type: "boolean", default: false } } });
const document = openApiDocument("https://switchboard.example");
const broken = existsSync(FILE) ? breakingChanges(JSON.parse(readFileSync(FILE, "utf8")), document) : [];
for (const line of broken) console.error(`Breaks callers: ${line}.`);
if (broken.length > 0 && !values["accept-breaking"]) {
  console.error("Nothing was written. Restore it, or pass --accept-breaking and write a changelog entry.");
  process.exit(1);
}
writeFileSync(FILE, `${JSON.stringify(document, null, 2)}\n`);
console.log(`${FILE} is written.`);
