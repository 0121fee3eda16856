import { CsvLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { TimePager } from "@/app/_components/list-links";
import { optionsOf, periodFilters } from "@/app/_components/options";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { readCursor } from "@/lib/core/keyset-page";
import { withQuery } from "@/lib/core/query-string";
import { AUDITED_THINGS, readAuditFilters } from "@/lib/workspaces/audit-filters";
import { type AuditRowForPeople, listActors, listAudit } from "@/lib/workspaces/audit-queries";
import { listReader } from "@/lib/workspaces/read-lists";
import { actionWords, fieldChanges, fieldWords } from "@/lib/workspaces/wording";
import { Page } from "../../_components/page-frame";

export const metadata = { title: "Audit log" };

const PATH = "/dashboard/settings/audit-log";

export default async function AuditLogPage({ searchParams }: PageProps<"/dashboard/settings/audit-log">) {
  const member = await requireMember("seeAuditLog");
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const { older, newer, ...given } = await searchParams;
  const filters = readAuditFilters(given);
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
      <DataTable
        caption="Changes in this workspace, newest first"
        rows={page.rows}
        columns={{
          Time: { className: "align-top", cell: ({ at }) => <Timestamp at={at} /> },
          Who: { className: "align-top sm:min-w-36", cell: actorCell },
          What: {
            className: "align-top sm:min-w-72",
            cell: (row) => (
              <>
                {actionWords(row.action)}
                <p className="text-sm">{targetCell(row)}</p>
              </>
            ),
          },
          Change: { className: "align-top", cell: changeCell },
        }}
        empty={
          <EmptyState title="Nothing matches">
            <TextLink href={PATH}>Clear the filters</TextLink> to see the whole log.
          </EmptyState>
        }
      />
      <TimePager page={page} at={(place) => withQuery(PATH, { ...filters, ...place })} />
    </Page>
  );
}

const actorCell = ({ actorKind, actorId, actorName }: AuditRowForPeople) =>
  actorKind === "user" ? (
    (actorName ?? <Muted>a former user</Muted>)
  ) : (
    <>
      {actorId}{" "}
      <span className="block text-sm text-muted">
        {actorKind === "platform" ? "by webhook" : "the operator’s program"}
      </span>
    </>
  );

const PLACES: Record<string, string> = {
  apiKey: "/dashboard/settings/api-keys",
  contact: "/dashboard/contacts",
  phoneNumber: "/dashboard/phone-numbers",
  template: "/dashboard/templates",
  webhookEndpoint: "/dashboard/settings/webhooks",
};

const targetCell = ({ targetKind, targetId }: AuditRowForPeople) => {
  const place = PLACES[targetKind];
  const id = <code className="font-mono break-all">{targetId}</code>;
  return place ? <TextLink href={`${place}/${targetId}`}>{id}</TextLink> : <Muted>{id}</Muted>;
};

const changeCell = (row: AuditRowForPeople) => (
  <dl className="grid gap-0.5 text-sm">
    {fieldChanges(row).map(({ field, before, after }) => (
      <div key={field} className="flex flex-wrap gap-x-2">
        <dt className="text-muted">{fieldWords(field)}</dt>
        <dd className="min-w-0 break-all" dir="auto">
          {before === undefined ? null : <s className="text-muted">{before}</s>} {after}
        </dd>
      </div>
    ))}
  </dl>
);
