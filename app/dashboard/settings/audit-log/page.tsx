import type { Metadata } from "next";
import { ButtonLink } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { requireMember } from "@/lib/auth/page-member";
import { readCursor, writeCursor } from "@/lib/core/page-cursor";
import { withQuery } from "@/lib/core/query-string";
import { AUDITED_THINGS, readAuditFilters } from "@/lib/workspaces/audit-filters";
import { type AuditRowForPeople, listActors, listAudit } from "@/lib/workspaces/audit-queries";
import { actionWords, fieldChanges, fieldWords } from "@/lib/workspaces/wording";

export const metadata: Metadata = { title: "Audit log" };

const PATH = "/dashboard/settings/audit-log";

export default async function AuditLogPage({ searchParams }: PageProps<"/dashboard/settings/audit-log">) {
  const { workspaceId, workspace } = await requireMember("seeAuditLog");
  const { older, newer, ...given } = await searchParams;
  const filters = readAuditFilters(given);
  const [page, actors] = await Promise.all([
    listAudit(workspaceId, {
      filters,
      timeZone: workspace.timeZone,
      older: readCursor(older),
      newer: readCursor(newer),
    }),
    listActors(workspaceId),
  ]);
  return (
    <>
      <PageHeading title="Audit log">
        Who changed what in this workspace, newest first, times in {workspace.timeZone}. Secrets and recipients are not
        in it.
      </PageHeading>
      <ListFilters
        path={PATH}
        filters={[
          {
            name: "actor",
            label: "Who",
            value: filters.actor,
            options: actors.map(({ id, name }) => ({ value: id, word: name ?? id })),
          },
          {
            name: "thing",
            label: "What",
            value: filters.thing,
            options: AUDITED_THINGS.map((thing) => ({ value: thing, word: actionWords(`${thing}.`).trim() })),
          },
          { name: "from", label: "From", value: filters.from, type: "date" },
          { name: "to", label: "To", value: filters.to, type: "date" },
          { name: "target", label: "Id", value: filters.target },
        ]}
      >
        <ButtonLink
          look="secondary"
          prefetch={false}
          href={withQuery(`/api/v1/workspaces/${workspaceId}/audit-log`, filters)}
        >
          <Icon name="download" />
          CSV
        </ButtonLink>
      </ListFilters>
      {page.rows.length === 0 ? (
        <EmptyState title="Nothing matches">
          <TextLink href={PATH}>Clear the filters</TextLink> to see the whole log.
        </EmptyState>
      ) : (
        <DataTable
          caption="Changes in this workspace, newest first"
          rows={page.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              heading: "Time",
              className: "align-top",
              cell: ({ at }) => <Timestamp at={at} timeZone={workspace.timeZone} />,
            },
            { heading: "Who", className: "align-top sm:min-w-36", cell: actorCell },
            {
              heading: "What",
              className: "align-top sm:min-w-72",
              cell: (row) => (
                <>
                  {actionWords(row.action)}
                  <p className="text-xs">{targetCell(row)}</p>
                </>
              ),
            },
            { heading: "Change", className: "align-top", cell: changeCell },
          ]}
        />
      )}
      <Pager
        newer={page.newer && withQuery(PATH, { ...filters, newer: writeCursor(page.newer) })}
        older={page.older && withQuery(PATH, { ...filters, older: writeCursor(page.older) })}
      />
    </>
  );
}

const actorCell = ({ actorKind, actorId, actorName }: AuditRowForPeople) =>
  actorKind === "user" ? (
    (actorName ?? <span className="text-muted">a former user</span>)
  ) : (
    <>
      {actorId}{" "}
      <span className="block text-xs text-muted">
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
  return place ? (
    <TextLink href={`${place}/${targetId}`} prefetch={false}>
      {id}
    </TextLink>
  ) : (
    <span className="text-muted">{id}</span>
  );
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
