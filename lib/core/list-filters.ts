import { and, type Column, gte, lt, type SQL } from "drizzle-orm";
import { z } from "zod";
import { addDays, dayStart } from "./local-time";

// The filters of a list as they are in its URL: an invalid value counts as absent.

export function matching(pattern: RegExp) {
  return z.string().regex(pattern).optional().catch(undefined);
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values).optional().catch(undefined);
}

/** A text without the spaces around it. Postgres refuses a NUL. */
export function textUpTo(characters: number) {
  return matching(new RegExp(`^[^\\0]{1,${characters}}$`)).transform(
    (text) => text?.trim().toWellFormed() || undefined,
  );
}

/** What people type. */
export const Typed = textUpTo(300);

/** From the year 2000 on: Postgres rejects some dates that occur while a year is being typed. */
export const Day = z.iso.date().regex(/^2/).optional().catch(undefined);

/**
 * A condition for each filter of a list, on `Rows`: its table, or the union of its table and their counts. A filter without a
 * condition does not compile, nor does one on a column that the counts lack, which would make a wrong total.
 */
export type Conditions<Filters, Rows> = {
  [Name in keyof Filters]-?: (rows: Rows, value: NonNullable<Filters[Name]>) => SQL | undefined;
};

/** Returns the rows that meet the filters that are set. */
export function meeting<Filters, Rows>(
  conditions: Conditions<Filters, Rows>,
  filters: { [Name in keyof Filters]?: Filters[Name] | undefined },
  rows: Rows,
): SQL | undefined {
  const names = Object.keys(conditions) as (keyof Filters)[];
  return and(
    ...names.map((name) => {
      const value = filters[name];
      return value === undefined || value === null ? undefined : conditions[name](rows, value);
    }),
  );
}

type Days = { from?: string | undefined; to?: string | undefined };

/** Matches what is of the days of a filter, both inclusive, in the workspace's time zone. */
export function withinDays(at: Column, { from, to }: Days, timeZone: string): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(at, dayStart(from, timeZone)),
    to === undefined ? undefined : lt(at, dayStart(addDays(to, 1), timeZone)),
  );
}
