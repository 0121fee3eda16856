import { GraphError } from "./graph-error";

const DEFAULT_LIMIT = 25;

/** Returns the fields of `record` in a `fields=a,b` parameter, and always its id. */
export function pick(record: Record<string, unknown>, fields: string | null, defaults: readonly string[]) {
  const asked = fields?.split(",").map((field) => field.trim()) ?? defaults;
  const shown = Object.entries(record).filter(([field]) => asked.includes(field) && field !== "id");
  return { ...Object.fromEntries(shown), id: record.id };
}

/** Whether `value` passes a filter such as `status=APPROVED`, `status=APPROVED,PENDING` or `status=["APPROVED"]`. */
export function passes(filter: string | null, value: string): boolean {
  return (
    filter === null ||
    filter
      .replace(/[[\]"\s]/g, "")
      .split(",")
      .includes(value)
  );
}

/**
 * Returns one page of `records` as `{items, paging}`, after the cursor in `url`. The last page has cursors but no
 * `next`. Throws on an invalid limit or cursor.
 */
export function pageOf<Item extends { id: string }>(records: readonly Item[], url: URL) {
  const limit = readLimit(url.searchParams.get("limit"));
  const start = startOf(records, url.searchParams.get("after"));
  const items = records.slice(start, start + limit);
  const first = items.at(0);
  const last = items.at(-1);
  if (!first || !last) return { items, paging: undefined };
  const cursors = { before: cursorOf(first), after: cursorOf(last) };
  if (start + limit >= records.length) return { items, paging: { cursors } };
  const next = new URL(url);
  next.searchParams.set("after", cursors.after);
  return { items, paging: { cursors, next: next.href } };
}

function readLimit(limit: string | null): number {
  if (limit === null) return DEFAULT_LIMIT;
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new GraphError(100, "Param limit must be a positive integer.");
  return Number(limit);
}

function startOf(records: readonly { id: string }[], after: string | null): number {
  if (after === null || after === "") return 0;
  const position = records.findIndex((record) => cursorOf(record) === after);
  if (position < 0) throw new GraphError(100, "Invalid cursors values.");
  return position + 1;
}

const cursorOf = ({ id }: { id: string }): string => Buffer.from(`after ${id}`).toString("base64url");
