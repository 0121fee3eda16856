import { asc, type Column, desc, type SQL, sql } from "drizzle-orm";
import type { PageCursor } from "./page-cursor";

/** Where a page of a list begins: after `older`, or before `newer`; without either it is the first. */
export type PagePlace = { older?: PageCursor | undefined; newer?: PageCursor | undefined };

/** What is read: at most `limit` rows beyond a place, nearest first. */
export type PageStep = { direction: "older" | "newer"; cursor: PageCursor | undefined; limit: number };

/** Newest first, with the places from which the pages beside it begin, where there are any. */
export type KeysetPage<Row> = PagePlace & { rows: Row[]; isFirst: boolean };

type Keyset<Row> = {
  perPage: number;
  read: (step: PageStep) => Promise<Row[]>;
  cursorOf: (row: Row) => PageCursor;
};

/** A page of a list by time: the one that follows `older`, or that precedes `newer`, or the first. */
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
    // Fewer than a page of newer rows means that the first page is due, whole.
    if (found.length > perPage) return page(found.slice(0, perPage).reverse(), { newer: true, older: true });
  }
  const found = await read({ direction: "older", cursor: older, limit });
  return page(found.slice(0, perPage), { newer: Boolean(older), older: found.length > perPage });
}

type Keys = { at: Column; id: Column };

/** The rows of a list by time that lie beyond a cursor; undefined without one. */
export function beyondCursor(
  { at, id }: Keys,
  { direction, cursor }: Pick<PageStep, "direction" | "cursor">,
): SQL | undefined {
  if (!cursor) return undefined;
  const place = sql`(${cursor.createdAt.toISOString()}::timestamptz, ${cursor.id})`;
  return direction === "older" ? sql`(${at}, ${id}) < ${place}` : sql`(${at}, ${id}) > ${place}`;
}

/** The order in which a page of a list by time is read: from its cursor on. */
export function readingOrder({ at, id }: Keys, { direction }: Pick<PageStep, "direction">): [SQL, SQL] {
  return direction === "older" ? [desc(at), desc(id)] : [asc(at), asc(id)];
}
