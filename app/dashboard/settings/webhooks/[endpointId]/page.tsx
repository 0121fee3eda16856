import type { Metadata } from "next";
import { cache } from "react";
import { Card } from "@/app/_components/card";
import { Copyable } from "@/app/_components/copyable";
import { EmptyState } from "@/app/_components/empty-state";
import { FieldRow, Fields } from "@/app/_components/fields";
import { RecordMode } from "@/app/_components/link-mode";
import { type Filter, ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { ModeLabel } from "@/app/_components/status-chips";
import { Tabs } from "@/app/_components/tabs";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import { requireMemberOf } from "@/lib/auth/page-member";
import { durationWords, LEAST_SAMPLES } from "@/lib/core/duration-scale";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/number";
import { readCursor, writeCursor } from "@/lib/core/page-cursor";
import { readMode } from "@/lib/core/page-mode";
import { withQuery } from "@/lib/core/query-string";
import { type DeliveryFilters, periodOf, readDeliveryFilters } from "@/lib/outgoing/delivery-filters";
import {
  countUndelivered,
  listDeliveries,
  type Responses,
  readResponses,
  type Undelivered,
} from "@/lib/outgoing/delivery-queries";
import { type Endpoint, findEndpoint } from "@/lib/outgoing/endpoint-queries";
import { EVENT_TYPES, TEST_EVENT } from "@/lib/public-api/event-types";
import { PRINTED_ONLY } from "@/lib/public-api/listener";
import { AutoRefresh } from "../../../_components/auto-refresh";
import { EndpointStateChip } from "../endpoint-state-chip";
import { EndpointUrl } from "../endpoint-url";
import { urlHint } from "../url-hint";
import { DeliveryTable } from "./delivery-table";
import { EditEndpoint } from "./edit-endpoint";
import { DeleteEndpoint, PauseOrResume, SendTestEvent } from "./endpoint-actions";
import { EndpointNotice } from "./endpoint-notice";
import { ReplayRange } from "./replay-range";
import { RotateEndpointSecret } from "./rotate-endpoint-secret";

const LIST = "/dashboard/settings/webhooks";
const REFRESH_MS = 5_000;

type Props = PageProps<"/dashboard/settings/webhooks/[endpointId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { endpoint } = await readEndpoint(props);
  return { title: `${endpoint.label} · Webhooks` };
}

/** The tabs of the list, by the word in the address. */
const TABS = [
  { show: undefined, word: "All", state: undefined },
  { show: "waiting", word: "Waiting", state: "PENDING" },
  { show: "delivered", word: "Delivered", state: "DELIVERED" },
  { show: "failed", word: "Failed", state: "FAILED" },
] as const;

export default async function EndpointPage(props: Props) {
  const { endpoint, member } = await readEndpoint(props);
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const { show, older, newer, ...given } = await props.searchParams;
  const tab = TABS.find((one) => one.show === show) ?? TABS[0];
  const filters = readDeliveryFilters(given);
  const [page, responses, undelivered] = await Promise.all([
    listDeliveries(workspaceId, {
      endpointId: endpoint.id,
      state: tab.state,
      type: filters.type,
      q: filters.q,
      ...periodOf(filters, timeZone),
      older: readCursor(older),
      newer: readCursor(newer),
    }),
    readResponses(workspaceId, endpoint.id),
    countUndelivered(workspaceId),
  ]);
  const path = `${LIST}/${endpoint.id}`;
  const keptDays = workspace.retentionDays ?? env().MESSAGE_RETENTION_DAYS;
  const pageAt = (place: Record<string, string>) => withQuery(path, { show: tab.show, ...filters, ...place });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const counts = undelivered.get(endpoint.id) ?? { waiting: 0, failed: 0 };
  const isPaused = endpoint.pausedAt !== null;
  const about = { workspaceId, endpoint };
  return (
    <RecordMode mode={endpoint.mode}>
      <AutoRefresh everyMs={REFRESH_MS} />
      <p className="mb-2 text-sm">
        <TextLink href={LIST}>Webhooks</TextLink>
      </p>
      <PageHeading title={endpoint.label}>
        <span className="flex flex-wrap items-center gap-2">
          <EndpointStateChip endpoint={endpoint} />
          <ModeLabel mode={endpoint.mode} />
        </span>
      </PageHeading>
      <div role="status" className="mb-6 empty:hidden">
        <EndpointNotice endpoint={endpoint} timeZone={timeZone} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <EndpointFacts endpoint={endpoint} counts={counts} responses={responses} timeZone={timeZone} />
        <Card className="grid gap-4">
          <h2 className="font-semibold">Manage</h2>
          <SendTestEvent {...about} path={path} />
          <div className="flex flex-wrap items-start gap-3 border-t border-hairline pt-4">
            <PauseOrResume {...about} isPaused={isPaused} />
            {endpoint.listensUntil === null ? (
              <>
                <EditEndpoint {...about} urlHint={urlHint(endpoint.mode)} />
                <RotateEndpointSecret {...about} previousUntil={previousUntil(endpoint)} timeZone={timeZone} />
              </>
            ) : null}
            <DeleteEndpoint {...about} waiting={counts.waiting} />
          </div>
        </Card>
      </div>
      <section aria-labelledby="deliveries" className="mt-8">
        <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div>
            <h2 id="deliveries" className="text-lg font-semibold">
              Deliveries
            </h2>
            <p className="text-sm text-muted">
              Newest first, stored{" "}
              {endpoint.listensUntil
                ? "while the command runs"
                : `for ${keptDays === 1 ? "1 day" : `${keptDays} days`}`}
              .
            </p>
          </div>
          <ReplayRange
            workspaceId={workspaceId}
            endpointId={endpoint.id}
            isPaused={isPaused}
            timeZone={timeZone}
            from={filters.from}
            to={filters.to}
          />
        </div>
        <ListFilters
          path={path}
          search={{
            value: filters.q,
            label: "Search deliveries",
            placeholder: "Message id, template id or webhook-id",
          }}
          filters={filterFields(filters)}
          kept={tab.show === undefined ? {} : { show: tab.show }}
        />
        <Tabs
          label="Which deliveries"
          tabs={TABS.map((one) => ({
            href: withQuery(path, { show: one.show, ...filters }),
            word: one.word,
            isCurrent: one === tab,
          }))}
        />
        {page.rows.length > 0 ? (
          <DeliveryTable path={path} deliveries={page.rows} isPaused={isPaused} timeZone={timeZone} />
        ) : isFiltered ? (
          <EmptyState
            title={tab.show === undefined ? "No delivery matches" : `No ${tab.word.toLowerCase()} delivery matches`}
          >
            {page.older ? (
              <>
                Searched back to <Timestamp at={page.older.createdAt} timeZone={timeZone} />.{" "}
                <TextLink href={pageAt({ older: writeCursor(page.older) })}>Search older deliveries</TextLink>, or
                choose a time.
              </>
            ) : (
              <>
                <TextLink href={path}>Clear the filters</TextLink> to see every delivery.
              </>
            )}
          </EmptyState>
        ) : tab.show === undefined ? (
          <EmptyState title="No delivery yet">
            Each event appears here with its attempts and your server’s response. Send a test event to see one.
          </EmptyState>
        ) : (
          <EmptyState title={`No ${tab.word.toLowerCase()} delivery`}>
            <TextLink href={path}>Show all deliveries</TextLink>
          </EmptyState>
        )}
        <Pager
          newer={page.newer && pageAt({ newer: writeCursor(page.newer) })}
          older={page.older && pageAt({ older: writeCursor(page.older) })}
        />
      </section>
    </RecordMode>
  );
}

const filterFields = ({ type, from, to }: DeliveryFilters): Filter[] => [
  {
    name: "type",
    label: "Event",
    value: type,
    options: [...EVENT_TYPES, TEST_EVENT].map((value) => ({ value, word: value })),
  },
  { name: "from", label: "From", value: from, type: "datetime-local" },
  { name: "to", label: "To", value: to, type: "datetime-local" },
];

/** Until when the secret before the last rotation works, where it still does. */
const previousUntil = ({ previousSecretEndsAt }: Endpoint): Date | null =>
  previousSecretEndsAt && previousSecretEndsAt > new Date() ? previousSecretEndsAt : null;

type FactsProps = { endpoint: Endpoint; counts: Undelivered; responses: Responses; timeZone: string };

function EndpointFacts({ endpoint, counts, responses, timeZone }: FactsProps) {
  const { url, events, createdAt } = endpoint;
  const previousSecretEndsAt = previousUntil(endpoint);
  return (
    <Fields>
      <FieldRow name="URL">
        {url === PRINTED_ONLY ? <EndpointUrl url={url} /> : <Copyable value={url} label="URL" />}
      </FieldRow>
      <FieldRow name="Events">
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {events.map((type) => (
            <li key={type}>
              <code className="font-mono text-sm break-all">{type}</code>
            </li>
          ))}
        </ul>
      </FieldRow>
      <FieldRow name="Waiting">{formatNumber(counts.waiting)}</FieldRow>
      <FieldRow name="Failed">{formatNumber(counts.failed)}</FieldRow>
      <FieldRow name="Success rate">{successInWords(responses)}</FieldRow>
      <FieldRow name="Response time">{durationsInWords(responses)}</FieldRow>
      <FieldRow name="Created">
        <Timestamp at={createdAt} timeZone={timeZone} />
      </FieldRow>
      {previousSecretEndsAt ? (
        <FieldRow name="Previous secret">
          works until <Timestamp at={previousSecretEndsAt} timeZone={timeZone} />
        </FieldRow>
      ) : null}
    </Fields>
  );
}

const successInWords = ({ attempts, delivered }: Responses): string => {
  if (attempts === 0) return "–";
  // Not rounded up to a whole success, or down to none.
  const percent = Math.min(99.9, Math.max(0.1, Math.round((delivered / attempts) * 1_000) / 10));
  const rate = delivered === attempts ? 100 : delivered === 0 ? 0 : percent;
  return `${rate}% of the last ${attempts === 1 ? "attempt" : `${formatNumber(attempts)} attempts`}`;
};

/** A percentile of few would say more than is known. */
const durationsInWords = ({ answered, p50, p95 }: Responses): string =>
  p50 === null || p95 === null || answered < LEAST_SAMPLES
    ? `– (from ${LEAST_SAMPLES} responses on)`
    : `p50 ${durationWords(p50)}, p95 ${durationWords(p95)}`;

const memberAndEndpoint = cache(async (endpointId: string, mode: Mode | undefined) => {
  const { member, found: endpoint } = await requireMemberOf(
    { path: `${LIST}/${encodeURIComponent(endpointId)}`, mode },
    (workspaceId) => findEndpoint(workspaceId, endpointId),
    "manageWebhooks",
  );
  return { endpoint, member };
});

const readEndpoint = async ({ params, searchParams }: Props) =>
  memberAndEndpoint((await params).endpointId, readMode((await searchParams).mode));
