import { CsvLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState, NUMBERS, Section } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { listReader } from "@/db/read-lists";
import { may, requireMember, shownMode } from "@/lib/auth/page-member";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber, percentOf } from "@/lib/core/text";
import { toBars } from "@/lib/messages/usage/status-series";
import {
  listErrorCounts,
  listFailureCounts,
  listShares,
  listStatusCounts,
  type Share,
} from "@/lib/messages/usage/usage-queries";
import { readUsageFilters, usageScope } from "@/lib/messages/usage/usage-range";
import { Page } from "../_components/page-frame";
import { ErrorTile, SendsTile, UsageFilterFields, UsageTabs } from "../_overview/usage-tiles";

export const metadata = { title: "Usage" };

const PATH = "/dashboard/usage";

export default async function UsagePage({ searchParams }: PageProps<"/dashboard/usage">) {
  const member = await requireMember();
  const mode = await shownMode(member, searchParams);
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const filters = readUsageFilters(await searchParams, member.role);
  const scope = usageScope(filters, { mode, timeZone, now: new Date() });
  const lists = listReader(member);
  const [counts, failures, errors, lines, templates, keys] = await lists.read(() =>
    Promise.all([
      listStatusCounts(workspaceId, scope),
      listFailureCounts(workspaceId, scope),
      listErrorCounts(workspaceId, scope),
      listShares(workspaceId, scope, "line"),
      listShares(workspaceId, scope, "template"),
      may("seeApiKeys") ? listShares(workspaceId, scope, "key") : undefined,
    ]),
  );
  const bars = toBars(scope.spans, counts);
  return (
    <Page
      title="Usage"
      intro={`Messages by line, template and key, with their status. Counted within a minute; days are those of ${timeZone}.`}
      mode={mode}
      lists={lists}
    >
      <UsageTabs current="messages" />
      <UsageFilterFields path={PATH} mode={mode} filters={filters} />
      {bars.every(({ total }) => total === 0) ? (
        <EmptyState title="No sends in this range">
          Choose a longer range, or <TextLink href="/dashboard/send">send a message</TextLink>.
        </EmptyState>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
          <SendsTile
            bars={bars}
            filters={filters}
            href={(view) => withQuery(PATH, { ...filters, view })}
            aside={<CsvLink href={withQuery(`/api/v1/workspaces/${workspaceId}/usage`, { ...filters, mode })} />}
          />
          <ErrorTile errors={errors} failures={failures} filters={filters} />
          <Shares of="line" rows={lines} unnamed="" />
          <Shares of="template" rows={templates} unnamed="no template" />
          {keys ? <Shares of="key" rows={keys} unnamed="the dashboard" /> : null}
        </div>
      )}
    </Page>
  );
}

type SharesProps = {
  of: "line" | "template" | "key";
  rows: Share[];
  /** The name of the row for messages without an id. */
  unnamed: string;
};

function Shares({ of, rows, unnamed }: SharesProps) {
  const share = (part: number, total: number) => (
    <>
      {formatNumber(part)} <Muted>{total === 0 ? "" : `${percentOf(part, total).toFixed(1)} %`}</Muted>
    </>
  );
  return (
    <Section title={`By ${of}`}>
      <DataTable
        caption={`Messages by ${of}`}
        rows={rows}
        columns={{
          [of.replace(/^./, (letter) => letter.toUpperCase())]: {
            className: "sm:min-w-48",
            cell: ({ id, name }) => (
              <span className="line-clamp-2 wrap-anywhere">{name || id || <Muted>{unnamed}</Muted>}</span>
            ),
          },
          Messages: { className: NUMBERS, cell: ({ total }) => formatNumber(total) },
          Delivered: { className: NUMBERS, cell: ({ delivered, total }) => share(delivered, total) },
          Read: { className: NUMBERS, cell: ({ read, total }) => share(read, total) },
          Failed: { className: NUMBERS, cell: ({ failed, total }) => share(failed, total) },
        }}
      />
    </Section>
  );
}
