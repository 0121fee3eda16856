import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { factorRow } from "@/lib/auth/change-second-factor";
import { currentSeal, decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";
import { decryptSecret, encryptSecret } from "@/lib/outgoing/signed-request";

type Row = { workspaceId: string; id: string };
type Stored = (string | null)[];

/** The encrypted columns of a table, of the rows that meet `isKept`. A table without workspaces says so. */
type Sealed = {
  table: string;
  columns: readonly string[];
  isKept: string;
  isOfNoWorkspace?: true;
  open: (sealed: string, row: Row, keys: EncryptionKeys) => string;
  seal: (plain: string, row: Row, keys: EncryptionKeys) => string;
};

export const ACCESS_TOKENS: Sealed = {
  table: "phone_numbers",
  columns: ["access_token"],
  isKept: "disconnected_at is null",
  open: (sealed, { workspaceId, id }, keys) => decrypt(sealed, `${workspaceId}/${id}`, keys),
  seal: (plain, { workspaceId, id }, keys) => encrypt(plain, `${workspaceId}/${id}`, keys),
};

export const ENDPOINT_SECRETS: Sealed = {
  table: "webhook_endpoints",
  columns: ["secret", "previous_secret"],
  isKept: "deleted_at is null",
  open: decryptSecret,
  seal: encryptSecret,
};

export const FACTOR_SECRETS: Sealed = {
  table: "users",
  columns: ["factor_secret"],
  isKept: "factor_secret is not null",
  isOfNoWorkspace: true,
  open: (sealed, { id }, keys) => decrypt(sealed, factorRow(id), keys),
  seal: (plain, { id }, keys) => encrypt(plain, factorRow(id), keys),
};

/** Counts of rows; `unreadable` lists those that no configured key decrypts, as `workspace/id`. */
type Resealed = { resealed: number; alreadyCurrent: number; unreadable: string[] };

const BATCH = 100;

/**
 * Re-encrypts what a table holds with the first of `keys`. Each row is replaced only if it is still what was read, and
 * read again otherwise: a server with the old key may have written it. Sends continue: servers decrypt with both keys.
 */
export async function reEncrypt(
  { table, columns, isKept, isOfNoWorkspace, open, seal }: Sealed,
  keys: EncryptionKeys,
): Promise<Resealed> {
  const values = (sql: Sql) => sql`json_build_array(${sql.unsafe(columns.join(", "))})`;
  const workspaceOf = (sql: Sql) => (isOfNoWorkspace ? sql`''` : sql`workspace_id`);
  const isCurrent = (sql: Sql) => sql`not exists (
    select from json_array_elements_text(${values(sql)}) value where not starts_with(value, ${currentSeal(keys)}))`;
  const [counted] = await onSql(
    (sql) => sql<{ current: number }[]>`
      select count(*)::int as current from ${sql(table)} where ${sql.unsafe(isKept)} and ${isCurrent(sql)}`,
  );
  const reseal = (stored: Stored, row: Row): Stored | undefined => {
    try {
      return stored.map((sealed) => (sealed === null ? null : seal(open(sealed, row, keys), row, keys)));
    } catch {
      return undefined;
    }
  };
  const replace = async ({ workspaceId, id }: Row, stored: Stored, fresh: Stored): Promise<number> => {
    const changed = Object.fromEntries(columns.map((column, at) => [column, fresh[at] ?? null]));
    const { count } = await onSql(
      (sql) => sql`
        update ${sql(table)} set ${sql(changed)} where ${workspaceOf(sql)} = ${workspaceId} and id = ${id}
          and ${values(sql)}::jsonb = ${JSON.stringify(stored)}::text::jsonb`,
    );
    return count;
  };
  const done: Resealed = { resealed: 0, alreadyCurrent: counted?.current ?? 0, unreadable: [] };
  for (;;) {
    const stale = await onSql(
      (sql) => sql<(Row & { stored: Stored })[]>`
        select ${workspaceOf(sql)} as "workspaceId", id, ${values(sql)} as stored from ${sql(table)}
        where ${sql.unsafe(isKept)} and not ${isCurrent(sql)} and ${workspaceOf(sql)} || '/' || id not in (
          select json_array_elements_text(${JSON.stringify(done.unreadable)}::text::json))
        limit ${BATCH}`,
    );
    if (stale.length === 0) return done;
    for (const { stored, ...row } of stale) {
      const fresh = reseal(stored, row);
      if (!fresh) done.unreadable.push(`${row.workspaceId}/${row.id}`);
      else done.resealed += await replace(row, stored, fresh);
    }
  }
}
