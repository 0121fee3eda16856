import { is, Table } from "drizzle-orm";
import * as schema from "@/db/schema";

const names = Object.entries(schema)
  .flatMap(([name, value]) => (is(value, Table) ? [name] : []))
  .join("|");

/** A table's name as SQL may write it: bare, quoted, with its schema, or as a value of drizzle's. */
const NAME = String.raw`(?:\$\{[^}]+\}|["\w.]+)`;
const WRITES = [
  new RegExp(String.raw`\.(?:insert|update|delete)\(\s*(?:\w+\.)?(?:${names})\b`),
  // Whatever it calls the table.
  /\b(?:db|tx|transaction)\s*\.(?:insert|update|delete)\(/,
  /\bdeleteByKey\(/,
  new RegExp(String.raw`\bimport\s[^;]*\b(?:${names}) as \w`),
  new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into)\s+${NAME}`, "i"),
  new RegExp(String.raw`\bupdate\s+(?:only\s+)?${NAME}(?:\s+(?:as\s+)?\w+)?\s+set\b`, "i"),
  /`\s*(?:truncate|copy)\s/i,
  // A look that is noted is a write, too.
  /\b(?:recorder\(\s*tx,|audited\()/,
];

/** Whether a file holds a write to the database, in whichever of its languages. */
export const writesToDatabase = (source: string): boolean => {
  const code = source.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  return WRITES.some((write) => write.test(code));
};
