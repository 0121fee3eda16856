import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ButtonLink } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { PageMode } from "@/app/_components/link-mode";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/number";
import { withQuery } from "@/lib/core/query-string";
import { toBars } from "@/lib/messages/status-series";
import {
  listErrorCounts,
  listFailureCounts,
  listShares,
  listStatusCounts,
  type Share,
} from "@/lib/messages/usage-queries";
import { bucketsOf, readUsageFilters } from "@/lib/messages/usage-range";
import { can } from "@/lib/workspaces/roles";
import { UsageFilters } from "../_components/usage-filters";
import { ErrorTile } from "../_overview/error-tile";
import { SendsTile } from "../_overview/sends-tile";

export const metadata: Metadata = { title: "Usage" };

const PATH = "/dashboard/usage";

export default async function UsagePage({ searchParams }: PageProps<"/dashboard/usage">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace, role } = member;
  const { timeZone } = workspace;
  const filters = readUsageFilters(await searchParams);
  const scope = { ...filters, mode, timeZone };
  const seesApiKeys = can(role, "seeApiKeys");
  const [counts, failures, errors, lines, templates, keys] = await Promise.all([
    listStatusCounts(workspaceId, scope),
    listFailureCounts(workspaceId, scope),
    listErrorCounts(workspaceId, scope),
    listShares(workspaceId, scope, "line"),
    listShares(workspaceId, scope, "template"),
    seesApiKeys ? listShares(workspaceId, scope, "key") : [],
  ]);
  const bars = toBars(bucketsOf(filters.range, new Date(), timeZone), counts);
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading title="Usage">
        Messages by line, template and key, with their status. Counted within a minute; days are those of {timeZone}.
      </PageHeading>
      <UsageFilters path={PATH} mode={mode} filters={filters} member={member} />
      {bars.every(({ total }) => total === 0) ? (
        <EmptyState title="No sends in this range">
          Choose a longer range, or <TextLink href="/dashboard/send">send a message</TextLink>.
        </EmptyState>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <SendsTile
            bars={bars}
            filters={filters}
            timeZone={timeZone}
            href={(view) => withQuery(PATH, { ...filters, view })}
            aside={
              <ButtonLink
                look="secondary"
                prefetch={false}
                href={withQuery(`/api/v1/workspaces/${workspaceId}/usage`, { ...filters, mode })}
              >
                <Icon name="download" />
                CSV
              </ButtonLink>
            }
          />
          <ErrorTile errors={errors} failures={failures} filters={filters} />
          <Shares title="By line" rows={lines} name={(share) => share.name ?? share.id} />
          <Shares title="By template" rows={templates} name={(share) => share.id || <Muted>no template</Muted>} />
          {seesApiKeys ? (
            <Shares
              title="By key"
              rows={keys}
              name={(share) => (share.id ? (share.name ?? share.id) : <Muted>the dashboard</Muted>)}
            />
          ) : null}
        </div>
      )}
    </>
  );
}

function Shares({ title, rows, name }: { title: string; rows: Share[]; name: (share: Share) => ReactNode }) {
  const share = (part: number, total: number) => (
    <>
      {formatNumber(part)} <Muted>{total === 0 ? "" : `${((100 * part) / total).toFixed(1)} %`}</Muted>
    </>
  );
  return (
    <section className="mt-2">
      <h2 className="mb-3 text-lg font-semibold">{title}</h2>
      <DataTable
        caption={`Messages ${title.toLowerCase()}`}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: title.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase()),
            className: "sm:min-w-48",
            cell: (row) => <span className="line-clamp-2 wrap-anywhere">{name(row)}</span>,
          },
          { heading: "Messages", className: NUMBERS, cell: ({ total }) => formatNumber(total) },
          { heading: "Delivered", className: NUMBERS, cell: ({ delivered, total }) => share(delivered, total) },
          { heading: "Read", className: NUMBERS, cell: ({ read, total }) => share(read, total) },
          { heading: "Failed", className: NUMBERS, cell: ({ failed, total }) => share(failed, total) },
        ]}
      />
    </section>
  );
}

const NUMBERS = "whitespace-nowrap tabular-nums";

function Muted({ children }: { children: ReactNode }) {
  return <span className="text-muted">{children}</span>;
}
