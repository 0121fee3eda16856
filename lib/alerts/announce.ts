import type { Sql } from "postgres";
import { readInstant } from "@/db/raw-sql";
import type { Alert, Role } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import { withQuery } from "@/lib/core/query-string";
import { type QueuedMail, queueMails } from "@/lib/mail/queue-mail";
import { groupOf, mailedGroups } from "@/lib/workspaces/alert-kinds";
import { alertText, type MailFacts } from "./alert-mail";

/** An alert that was opened, became worse or is over. */
export type Announced = { workspaceId: string; id: string; event: "opened" | "closed" };

/** After this a mail about it is no news. */
const MAIL_HOURS = 24;
/** What comes back within this time is said to flap. */
const FLAPPING_MINUTES = 10;

/**
 * Writes the events for the workspace's endpoints, and the mails for its members, in the transaction of the change: a crash
 * loses none, and makes none twice.
 */
export async function announce(sql: Sql, announced: readonly Announced[]): Promise<void> {
  if (announced.length === 0) return;
  const given = JSON.stringify(announced);
  await sql`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
    select a.workspace_id, 'whd_' || replace(gen_random_uuid()::text, '-', ''), e.id, 'alert.' || given.event, a.id,
      a.event_count, jsonb_build_object('kind', a.kind, 'severity', case a.tone when 'bad' then 'critical' else 'warning' end,
        'subjectId', a.subject_id, 'sentence', a.sentence, 'path', a.href, 'workspace', w.name, 'openedAt', a.opened_at, 'closedAt', a.closed_at),
      coalesce(a.closed_at, now())
    from json_to_recordset(${given}::text::json) as given ("workspaceId" text, id text, event text)
    join alerts a on a.workspace_id = given."workspaceId" and a.id = given.id and a.user_id is null
    join workspaces w on w.id = a.workspace_id
    join webhook_endpoints e on e.workspace_id = a.workspace_id and e.mode = 'live' and e.deleted_at is null
      and e.events ? ('alert.' || given.event)
    order by a.workspace_id, a.id, e.id`;
  const readers = await sql<Reader[]>`
    select a.workspace_id as "workspaceId", w.name as workspace, w.time_zone as "timeZone", given.event, now() as at,
      u.id as "readerId", u.email, m.role, m.mailed_alerts as "mailedAlerts",
      a.kind, a.subject_id as "subjectId", a.topic, a.tone, a.sentence, a.href, a.action, a.user_id as "userId",
      a.opened_at as "openedAt", a.closed_at as "closedAt", (
        select count(*)::int from alerts o
        where o.workspace_id = a.workspace_id and o.opened_at > now() - make_interval(mins => ${FLAPPING_MINUTES})
          and o.kind = a.kind and o.subject_id = a.subject_id and o.topic = a.topic) as times
    from json_to_recordset(${given}::text::json) as given ("workspaceId" text, id text, event text)
    join alerts a on a.workspace_id = given."workspaceId" and a.id = given.id
    join workspaces w on w.id = a.workspace_id
    join members m on m.workspace_id = a.workspace_id and (a.user_id is null or a.user_id = m.user_id)
    join users u on u.id = m.user_id and u.email_confirmed_at is not null
    order by a.workspace_id, a.id, u.id`;
  await queueMails(
    sql,
    readers.flatMap((reader) => {
      const group = groupOf(reader.kind);
      return group && mailedGroups(reader).includes(group) ? [mailTo(reader)] : [];
    }),
  );
}

type Reader = Omit<MailFacts, "openedAt" | "closedAt"> &
  Pick<Alert, "workspaceId" | "subjectId" | "topic" | "href"> & {
    openedAt: string;
    closedAt: string | null;
    /** When it is announced. */
    at: string;
    /** How often it was opened lately. */
    times: number;
    readerId: string;
    email: string;
    role: Role;
    mailedAlerts: string[] | null;
  };

function mailTo({ workspaceId, readerId, email, times, at, openedAt, closedAt, ...facts }: Reader): QueuedMail {
  const { kind, subjectId, topic, event } = facts;
  const span = { openedAt: readInstant(openedAt), closedAt: closedAt === null ? null : readInstant(closedAt) };
  return {
    id: newId("mail"),
    kind: "alert",
    address: email,
    userId: readerId,
    workspaceId,
    hours: MAIL_HOURS,
    content: {
      ...alertText({ ...facts, ...span }),
      isUrgent: facts.tone === "bad" && event === "opened",
      link: { label: facts.action, path: withQuery(facts.href, { workspace: workspaceId }) },
      alert: {
        kind,
        about: [workspaceId, kind, subjectId, topic].join(" "),
        event,
        at: readInstant(at).toISOString(),
        times,
      },
    },
  };
}
