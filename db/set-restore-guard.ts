import { readFileSync } from "node:fs";
import type { Sql } from "postgres";
import { guardedSince } from "./restore-guard";

/** Also run by ops/restore.sh, and copied beside the built commands. */
const GUARD = new URL("./restore-guard.sql", import.meta.url);

/** Holds live sends of new keys back, on every server of this database at once. Keeps the time of an earlier guard. */
export async function setRestoreGuard(sql: Sql): Promise<void> {
  if (!(await guardedSince(sql))) await sql.unsafe(readFileSync(GUARD, "utf8"));
}

/** Lets sends go on: the operator confirms that none of them is repeated, or accepts that some are. */
export async function removeRestoreGuard(sql: Sql): Promise<void> {
  await sql`drop trigger if exists restore_guard on messages`;
  await sql`drop function if exists refuse_lost_send()`;
}
