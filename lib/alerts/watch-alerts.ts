import type { Sql } from "postgres";
import { DatabaseUnavailable, inTransaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import { Deadline } from "@/lib/core/deadline";
import { queued } from "@/lib/core/due-work";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { MOMENTS } from "@/lib/workspaces/alert-kinds";
import { type Announced, announce } from "./announce";
import { listProblemFacts } from "./problem-queries";
import { listCandidates, problemsIn } from "./sources";

/** Test mode has nothing that an owner must not miss. */
const MODE: Mode = "live";
const BATCH = 50;
const OWN_DAYS = 7;
/** The rest is left to a later pass. */
const MAX_WATCHING_MS = 5_000;

/**
 * Opens an alert for what newly needs attention, announces what became worse, and closes what is over; for all workspaces,
 * one process at a time. Returns how many it announced.
 */
export async function watchAlerts(): Promise<number> {
  await onSql(closePersonal, { pool: "records" });
  const ids = await onSql(listCandidates, { pool: "records" });
  let count = 0;
  const deadline = Deadline.in(MAX_WATCHING_MS);
  for (let from = 0; from < ids.length && !deadline.isOver; from += BATCH) {
    const announced = await watchAll(ids.slice(from, from + BATCH));
    if (announced === undefined) break;
    count += announced;
  }
  if (count > 0) {
    queued("deliveries");
    queued("mails");
  }
  return count;
}

/** A person's own alerts, such as of a sign-in, have no condition that ends. */
const closePersonal = (sql: Sql) => sql`
  update alerts set closed_at = now()
  where user_id is not null and closed_at is null and opened_at < now() - make_interval(days => ${OWN_DAYS}::int)`;

/** One workspace whose rows our code cannot read keeps no other from its alerts. */
async function watchAll(workspaceIds: readonly WorkspaceId[]): Promise<number | undefined> {
  try {
    return await watchBatch(workspaceIds);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    if (workspaceIds.length > 1) {
      let count = 0;
      for (const id of workspaceIds) count += (await watchAll([id])) ?? 0;
      return count;
    }
    log("error", "alerts.workspace-refused", { workspaceId: workspaceIds[0], ...errorFields(error) });
    return 0;
  }
}

/** Undefined while another process watches. */
const watchBatch = (workspaceIds: readonly WorkspaceId[]): Promise<number | undefined> =>
  inTransaction(
    async (tx) => {
      const sql = rawSql(tx);
      // Held until the commit: another process, with older facts, must not close what this one opens.
      const [lock] = await sql<{ isMine: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended('switchboard alerts', 0)) as "isMine"`;
      if (!lock?.isMine) return undefined;
      const all = await listProblemFacts(tx, { workspaceIds, mode: MODE, now: new Date() });
      const current = all.flatMap((facts) =>
        problemsIn(facts).map((item) => ({
          ...item,
          sentence: maskNumbers(item.sentence),
          workspaceId: facts.workspaceId,
          id: newId("alr"),
        })),
      );
      const announced = await writeAlerts(sql, workspaceIds, current);
      await announce(sql, announced);
      return announced.length;
    },
    { pool: "records" },
  );

/** What WhatsApp said is quoted, and may name a recipient: of long numbers the last digits are enough. */
const maskNumbers = (text: string): string => text.replace(/\d{3,}(?=\d{4})/g, "…");

type CurrentCondition = ReturnType<typeof problemsIn>[number] & { workspaceId: string; id: string };

async function writeAlerts(
  sql: Sql,
  workspaceIds: readonly WorkspaceId[],
  current: readonly CurrentCondition[],
): Promise<Announced[]> {
  const rows = await sql<(Announced & { kind: string })[]>`
    with current as materialized (
      select * from json_to_recordset(${JSON.stringify(current)}::text::json) as c ("workspaceId" text, id text, kind text,
        "subjectId" text, topic text, level int, weight text, tone text, sentence text, href text, action text)
    ), open as materialized (
      select a.* from alerts a
      where a.workspace_id in (select json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json))
        and a.closed_at is null and a.user_id is null
    ), closed as (
      update alerts a set closed_at = now(), event_count = a.event_count + 1 from open
      where a.workspace_id = open.workspace_id and a.id = open.id and not exists (
        select from current c where c."workspaceId" = open.workspace_id and c.kind = open.kind
          and c."subjectId" = open.subject_id and c.topic = open.topic)
      returning a.workspace_id, a.id, a.kind, 'closed' as event
    ), changed as (
      update alerts a set level = c.level, tone = c.tone, sentence = c.sentence,
        event_count = a.event_count + case when c.level > a.level then 1 else 0 end
      from open join current c on c."workspaceId" = open.workspace_id and c.kind = open.kind
        and c."subjectId" = open.subject_id and c.topic = open.topic and c.level <> open.level
      where a.workspace_id = open.workspace_id and a.id = open.id
      returning a.workspace_id, a.id, a.kind, case when a.level > open.level then 'opened' else 'eased' end as event
    ), opened as (
      insert into alerts (workspace_id, id, kind, subject_id, topic, level, tone, sentence, href, action)
      select distinct on (c."workspaceId", c.kind, c."subjectId", c.topic)
        c."workspaceId", c.id, c.kind, c."subjectId", c.topic, c.level, c.tone, c.sentence, c.href, c.action
      from current c where c.weight = 'alert' and not exists (
        select from open where open.workspace_id = c."workspaceId" and open.kind = c.kind
          and open.subject_id = c."subjectId" and open.topic = c.topic)
      order by c."workspaceId", c.kind, c."subjectId", c.topic, c.tone
      on conflict do nothing
      returning workspace_id, id, kind, 'opened' as event
    )
    select workspace_id as "workspaceId", id, kind, event from opened
    union all select workspace_id, id, kind, event from changed where event <> 'eased'
    union all select workspace_id, id, kind, event from closed`;
  return rows.filter(({ kind, event }) => event === "opened" || !MOMENTS.some((moment) => moment === kind));
}
