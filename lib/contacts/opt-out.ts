import type { Fragment, Sql } from "postgres";
import type { Mode } from "@/lib/core/principal";

/**
 * When and how a person stopped marketing messages in a mode, as columns of a contact; null if they did not.
 * Test mode has its own, so that a person who tries the word on a test line is no lost customer.
 */
export function optOutIn(sql: Sql, contact: string, mode: Mode | Fragment): { at: Fragment; source: Fragment } {
  const of = (column: string) =>
    sql`case when ${mode} = 'test' then ${sql(`${contact}.test_${column}`)} else ${sql(`${contact}.${column}`)} end`;
  return { at: of("marketing_opted_out_at"), source: of("marketing_opt_out_source") };
}
