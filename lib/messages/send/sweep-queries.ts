import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { MARKS } from "@/db/schema";

/** Seconds since unfinished messages were last settled, by whichever process; null before the first time. */
export async function lastSweepSeconds(
  options: { isProbe?: boolean; timeoutMs?: number } = {},
): Promise<number | null> {
  const [mark] = await onSql(
    (sql) => sql<{ seconds: number }[]>`
      select greatest(0, extract(epoch from now() - until))::float8 as seconds from roll_up_marks where id = ${MARKS.swept}`,
    options,
  );
  return mark?.seconds ?? null;
}

type LostSends = { workspace: string; messages: number; from: Date; until: Date };
type LostRow = Omit<LostSends, "from" | "until"> & { from: string; until: string };

/**
 * Live messages that WhatsApp has reported since, and that this database does not know: sent after the backup that it was
 * restored from, or by another program on the same line. Incomplete: most lost messages get no further status.
 */
export function listLostSends(since: Date): Promise<LostSends[]> {
  return onSql((sql) =>
    readRows(
      sql<LostRow[]>`
        select coalesce(w.ref, w.id) as workspace, count(distinct e.whatsapp_message_id)::int as messages,
          min(e.occurred_at) as "from", max(e.occurred_at) as until
        from status_events e join phone_numbers p on p.workspace_id = e.workspace_id and p.id = e.phone_number_id
        join workspaces w on w.id = e.workspace_id
        where e.message_id is null and e.received_at >= ${since.toISOString()}::timestamptz and p.mode = 'live'
        group by w.id order by w.id`,
      ({ from, until, ...row }) => ({ ...row, from: readInstant(from), until: readInstant(until) }),
    ),
  );
}
