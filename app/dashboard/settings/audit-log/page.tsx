import type { ReactNode } from "react";
import { CsvLink } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { BeyondTheEnd, TimePager } from "@/app/_components/list-links";
import { optionsOf, periodFilters } from "@/app/_components/options";
import { EmptyState } from "@/app/_components/panels";
import { Code, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { listReader } from "@/db/read-lists";
import { pageMember } from "@/lib/auth/page-member";
import { readCursor } from "@/lib/core/keyset-page";
import { dateFormat } from "@/lib/core/local-time";
import { withQuery } from "@/lib/core/query-string";
import { AUDITED_THINGS, readAuditFilters } from "@/lib/workspaces/audit-filters";
import { listActors, listAudit, type ShownAuditRow } from "@/lib/workspaces/audit-queries";
import { actionWords, auditSentence, fieldChanges, fieldWords } from "@/lib/workspaces/audit-sentences";
import { Page, pageFor } from "../../_components/page-frame";

export const metadata = { title: "Audit log" };

const PATH = "/dashboard/settings/audit-log";

export default pageFor("seeAuditLog", AuditLogPage);

async function AuditLogPage({ searchParams }: PageProps<"/dashboard/settings/audit-log">) {
  const member = pageMember();
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const { older, newer, ...query } = await searchParams;
  const filters = readAuditFilters(query);
  const place = { older: readCursor(older), newer: readCursor(newer) };
  const lists = listReader(member);
  const [page, actors] = await lists.read(() =>
    Promise.all([listAudit(workspaceId, { filters, timeZone, ...place }), listActors(workspaceId)]),
  );
  return (
    <Page
      title="Audit log"
      intro={`Who changed what in this workspace, newest first, times in ${timeZone}. Secrets and recipients are not in it.`}
      lists={lists}
    >
      <ListFilters
        path={PATH}
        filters={{
          actor: { label: "Who", options: actors.map(({ id, name }) => ({ value: id, word: name ?? id })) },
          thing: { label: "What", options: optionsOf(AUDITED_THINGS, (thing) => actionWords(`${thing}.`).trim()) },
          ...periodFilters(),
          target: { label: "Id" },
        }}
        values={filters}
      >
        <CsvLink href={withQuery(`/api/v1/workspaces/${workspaceId}/audit-log`, filters)} />
      </ListFilters>
      {page.rows.length === 0 && !page.isFirst ? (
        <BeyondTheEnd of="entries" newest={withQuery(PATH, filters)} />
      ) : page.rows.length === 0 ? (
        <EmptyState title="No results">
          <TextLink href={PATH}>Clear the filters</TextLink> to see the whole log.
        </EmptyState>
      ) : (
        daysOf(page.rows, timeZone).map(({ day, rows }) => (
          <section key={day} aria-label={day} className="mb-4">
            <h2 className="border-b border-hairline pb-1 text-sm font-medium text-muted">{day}</h2>
            <ul className="divide-y divide-hairline">
              {rows.map((row) => (
                <Entry key={row.id} row={row} timeZone={timeZone} />
              ))}
            </ul>
          </section>
        ))
      )}
      <TimePager page={page} at={(place) => withQuery(PATH, { ...filters, ...place })} />
    </Page>
  );
}

function daysOf(rows: ShownAuditRow[], timeZone: string) {
  const format = dateFormat({ timeZone, weekday: "short", day: "numeric", month: "short", year: "numeric" });
  const days = new Map<string, ShownAuditRow[]>();
  for (const row of rows) {
    const day = format.format(row.at);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].map(([day, some]) => ({ day, rows: some }));
}

/** One line each, so that a screen of a phone has twenty; the whole sentence and the values are folded behind it. */
function Entry({ row, timeZone }: { row: ShownAuditRow; timeZone: string }) {
  const { at, requestId } = row;
  const sentence = auditSentence(row, timeZone);
  return (
    <li>
      <details className="group">
        <summary className="flex min-h-8 list-none items-center gap-2 rounded-control hover:bg-surface [&::-webkit-details-marker]:hidden">
          <Icon name="chevron" className="size-3.5 shrink-0 text-muted group-open:rotate-180 max-sm:hidden" />
          <span className="min-w-0 grow truncate group-open:whitespace-normal max-sm:text-sm">
            <strong className="font-medium">{actorName(row)}</strong> {sentence}
          </span>
          <time dateTime={at.toISOString()} className="shrink-0 text-sm text-muted tabular-nums">
            {dateFormat({ timeZone, hour: "2-digit", minute: "2-digit" }).format(at)}
          </time>
        </summary>
        <dl className="grid gap-1 pt-1 pb-3 text-sm sm:ps-5.5">
          <Detail name="Time">
            <Timestamp at={at} />
          </Detail>
          <Detail name="Id">{targetCell(row)}</Detail>
          {fieldChanges(row).map(({ field, before, after }) => (
            <Detail key={field} name={fieldWords(field)}>
              {before === undefined ? null : <s className="text-muted">{before}</s>} {after}
            </Detail>
          ))}
          {requestId ? (
            <Detail name="Request">
              <Code>{requestId}</Code>
            </Detail>
          ) : null}
        </dl>
      </details>
    </li>
  );
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-muted first-letter:uppercase">{name}</dt>
      <dd className="min-w-0 break-words" dir="auto">
        {children}
      </dd>
    </div>
  );
}

function actorName({ actorKind, actorId, actorName: name }: ShownAuditRow): string {
  if (actorKind === "user") return name ?? "A former user";
  // A program of the operator, by its own name: `provision`.
  return actorKind === "platform" ? "WhatsApp" : actorId;
}

const PLACES: Record<string, string> = {
  apiKey: "/dashboard/settings/api-keys",
  contact: "/dashboard/contacts",
  phoneNumber: "/dashboard/phone-numbers",
  template: "/dashboard/templates",
  webhookEndpoint: "/dashboard/settings/webhooks",
};

function targetCell({ targetKind, targetId }: ShownAuditRow) {
  const place = PLACES[targetKind];
  const id = <code className="font-mono break-all">{targetId}</code>;
  return place ? <TextLink href={`${place}/${targetId}`}>{id}</TextLink> : <Muted>{id}</Muted>;
}
