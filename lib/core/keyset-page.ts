import { asc, type Column, desc, type SQL, sql } from "drizzle-orm";
import { z } from "zod";

/** The position of a page in a list: after `older`, or before `newer`; the first page without either. */
export type PagePlace = { older?: PageCursor | undefined; newer?: PageCursor | undefined };

/** One read: at most `limit` rows beyond the cursor, nearest first. */
export type PageStep = { direction: "older" | "newer"; cursor: PageCursor | undefined; limit: number };

/** A page, newest first, with the cursors of the adjacent pages, if any. */
export type KeysetPage<Row> = PagePlace & { rows: Row[]; isFirst: boolean };

type Keyset<Row> = {
  perPage: number;
  read: (step: PageStep) => Promise<Row[]>;
  cursorOf: (row: Row) => PageCursor;
};

/** Reads a page of a list by time: the one after `older`, before `newer`, or the first. */
export async function readKeysetPage<Row>(
  { older, newer }: PagePlace,
  { perPage, read, cursorOf }: Keyset<Row>,
): Promise<KeysetPage<Row>> {
  const page = (rows: Row[], has: { newer: boolean; older: boolean }): KeysetPage<Row> => {
    const [first, last] = [rows[0], rows.at(-1)];
    return {
      rows,
      isFirst: !has.newer,
      newer: has.newer && first ? cursorOf(first) : undefined,
      older: has.older && last ? cursorOf(last) : undefined,
    };
  };
  const limit = perPage + 1;
  if (newer && !older) {
    const found = await read({ direction: "newer", cursor: newer, limit });
    // Less than a full page of newer rows: show the full first page instead.
    if (found.length > perPage) return page(found.slice(0, perPage).reverse(), { newer: true, older: true });
  }
  const found = await read({ direction: "older", cursor: older, limit });
  return page(found.slice(0, perPage), { newer: Boolean(older), older: found.length > perPage });
}

type Keys = { at: Column; id: Column };

/** Returns the condition for rows beyond a cursor; undefined without one. */
export function beyondCursor(
  { at, id }: Keys,
  { direction, cursor }: Pick<PageStep, "direction" | "cursor">,
): SQL | undefined {
  if (!cursor) return undefined;
  const place = sql`(${cursor.createdAt.toISOString()}::timestamptz, ${cursor.id})`;
  return direction === "older" ? sql`(${at}, ${id}) < ${place}` : sql`(${at}, ${id}) > ${place}`;
}

/** Returns the sort order in which a page is read, starting at its cursor. */
export function readingOrder({ at, id }: Keys, { direction }: Pick<PageStep, "direction">): [SQL, SQL] {
  return direction === "older" ? [desc(at), desc(id)] : [asc(at), asc(id)];
}

/** A position in a list by time: just after, or just before, this row. */
export type PageCursor = { createdAt: Date; id: string };

export function writeCursor({ createdAt, id }: PageCursor): string {
  return `${createdAt.getTime()}-${id}`;
}

/** Undefined for anything that `writeCursor` did not make. */
export function readCursor(text: unknown): PageCursor | undefined {
  const [, ms, id] = Cursor.safeParse(text).data?.match(SHAPE) ?? [];
  return ms && id ? { createdAt: new Date(Number(ms)), id } : undefined;
}

const Cursor = z.string().max(100);
const SHAPE = /^(\d{12,14})-([a-z0-9_]+)$/i;
