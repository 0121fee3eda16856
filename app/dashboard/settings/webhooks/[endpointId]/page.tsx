import { ConfirmAction } from "@/app/_components/dialog";
import { ActionButtonForm } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { BeyondTheEnd, Tabs, TimePager } from "@/app/_components/list-links";
import { optionsOf, periodFilters } from "@/app/_components/options";
import { Card, EmptyState, Notice, Section } from "@/app/_components/panels";
import { ModeLabel } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { listReader } from "@/db/read-lists";
import { recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { env } from "@/lib/core/env";
import { readCursor, writeCursor } from "@/lib/core/keyset-page";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber } from "@/lib/core/text";
import { periodOf, readDeliveryFilters } from "@/lib/outgoing/delivery-filters";
import { countUndelivered, listDeliveries } from "@/lib/outgoing/delivery-queries";
import { type Endpoint, findEndpoint, getSecretDays, ROTATE_AFTER_DAYS } from "@/lib/outgoing/endpoint-queries";
import { EVENT_TYPES, TEST_EVENT } from "@/lib/outgoing/events/event-types";
import { getResponseStats, listDeliveryDays } from "@/lib/outgoing/response-queries";
import { Page } from "../../../_components/page-frame";
import { pause, remove, resume } from "../actions";
import { DeliveryTable } from "../deliveries";
import { EditEndpoint, RotateEndpointSecret } from "../endpoint-forms";
import { EndpointNotice, EndpointStateChip, urlHint } from "../endpoint-state";
import { ReplayRange, SendTestEvent } from "./endpoint-actions";
import { EndpointFacts, EndpointFigures, previousUntil } from "./endpoint-facts";

const LIST = "/dashboard/settings/webhooks";
const REFRESH_MS = 5_000;

const readEndpoint = recordPageLoader(`${LIST}/[endpointId]`, findEndpoint, "manageWebhooks");

export const generateMetadata = recordTitle(readEndpoint, ({ label }) => `${label} · Webhooks`);

/** The tabs of the list, by the word in the address. */
const TABS = [
  { show: undefined, word: "All", state: undefined },
  { show: "waiting", word: "Waiting", state: "PENDING" },
  { show: "delivered", word: "Delivered", state: "DELIVERED" },
  { show: "failed", word: "Failed", state: "FAILED" },
] as const;

export default async function EndpointPage(props: PageProps<"/dashboard/settings/webhooks/[endpointId]">) {
  const { found: endpoint, member } = await readEndpoint(props);
  const { workspaceId, workspace } = member;
  const { show, older, newer, ...query } = await props.searchParams;
  const tab = TABS.find((one) => one.show === show) ?? TABS[0];
  const filters = readDeliveryFilters(query);
  const lists = listReader(member);
  const secretDays = await getSecretDays(workspaceId, endpoint, new Date());
  const isSecretOld = endpoint.format === "events" && endpoint.listensUntil === null && secretDays >= ROTATE_AFTER_DAYS;
  const [page, responses, undelivered, days] = await lists.read(() =>
    Promise.all([
      listDeliveries(workspaceId, {
        endpointId: endpoint.id,
        state: tab.state,
        type: filters.type,
        q: filters.q,
        ...periodOf(filters, workspace.timeZone),
        older: readCursor(older),
        newer: readCursor(newer),
      }),
      getResponseStats(workspaceId, endpoint.id),
      countUndelivered(workspaceId),
      listDeliveryDays(workspaceId, { endpointId: endpoint.id, timeZone: workspace.timeZone }),
    ]),
  );
  const path = `${LIST}/${endpoint.id}`;
  const keptDays = workspace.retentionDays ?? env().MESSAGE_RETENTION_DAYS;
  const pageAt = (place: Record<string, string>) => withQuery(path, { show: tab.show, ...filters, ...place });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const counts = undelivered.get(endpoint.id) ?? { waiting: 0, failed: 0 };
  const isPaused = endpoint.pausedAt !== null;
  return (
    <Page
      title={endpoint.label}
      chips={
        <>
          <EndpointStateChip endpoint={endpoint} />
          <ModeLabel mode={endpoint.mode} />
        </>
      }
      back={{ href: LIST, word: "Webhooks" }}
      recordMode={endpoint.mode}
      refreshMs={REFRESH_MS}
      lists={lists}
    >
      <div role="status" className="mb-6 empty:hidden">
        <EndpointNotice endpoint={endpoint} />
      </div>
      {isSecretOld ? (
        <Notice className="mb-6" tone="caution">
          This endpoint’s secret is {formatNumber(secretDays)} days old. Rotate it every {ROTATE_AFTER_DAYS} days: with
          an overlap no delivery is refused.
        </Notice>
      ) : null}
      <EndpointFigures counts={counts} responses={responses} days={days} />
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <EndpointFacts endpoint={endpoint} secretDays={secretDays} />
        <ManageEndpoint endpoint={endpoint} path={path} waiting={counts.waiting} />
      </div>
      <Section
        title="Deliveries"
        aside={
          <ReplayRange
            endpointId={endpoint.id}
            isPaused={isPaused}
            timeZone={workspace.timeZone}
            from={filters.from}
            to={filters.to}
          />
        }
        className="mt-8"
      >
        <p className="mb-3 text-sm text-muted">
          Newest first, stored{" "}
          {endpoint.listensUntil ? "while the command runs" : `for ${keptDays === 1 ? "1 day" : `${keptDays} days`}`}.
        </p>
        <DeliveryFilters path={path} tab={tab} filters={filters} />
        <DeliveryTable
          path={path}
          deliveries={page.rows}
          isPaused={isPaused}
          empty={<NoDeliveries page={page} tab={tab} path={path} pageAt={pageAt} isFiltered={isFiltered} />}
        />
        <TimePager page={page} at={pageAt} />
      </Section>
    </Page>
  );
}

type ManageProps = { endpoint: Endpoint; path: string; waiting: number };

function ManageEndpoint({ endpoint, path, waiting }: ManageProps) {
  const isPaused = endpoint.pausedAt !== null;
  const fields = { endpointId: endpoint.id };
  return (
    <Card title="Manage" className="grid gap-4">
      <SendTestEvent endpointId={endpoint.id} path={path} />
      <div className="flex flex-wrap items-start gap-3 border-t border-hairline pt-4">
        {/* One button in both states, so that it keeps the focus. */}
        <ActionButtonForm
          action={isPaused ? resume : pause}
          fields={fields}
          word={isPaused ? "Resume" : "Pause"}
          busy={isPaused ? "Resuming…" : "Pausing…"}
          look={isPaused ? "primary" : "secondary"}
        />
        {endpoint.listensUntil === null && endpoint.format === "events" ? (
          <>
            <EditEndpoint endpoint={endpoint} urlHint={urlHint(endpoint.mode)} />
            <RotateEndpointSecret endpoint={endpoint} previousUntil={previousUntil(endpoint)} />
          </>
        ) : null}
        <ConfirmAction
          action={remove}
          fields={fields}
          opener="Delete…"
          title={`Delete ${endpoint.label}?`}
          confirm="Delete endpoint"
          busy="Deleting…"
        >
          <p>It receives no further event. Its secret and its deliveries are deleted. This cannot be undone.</p>
          {waiting > 0 ? (
            <p className="rounded-control bg-caution-fill px-3 py-2 text-caution">
              {waiting === 1 ? "1 waiting event is dropped." : `${formatNumber(waiting)} waiting events are dropped.`}
            </p>
          ) : null}
        </ConfirmAction>
      </div>
    </Card>
  );
}

type FilterProps = { path: string; tab: (typeof TABS)[number]; filters: ReturnType<typeof readDeliveryFilters> };

function DeliveryFilters({ path, tab, filters }: FilterProps) {
  return (
    <>
      <ListFilters
        path={path}
        search={{ label: "Search deliveries", placeholder: "Message id, template id or webhook-id" }}
        filters={{
          type: { label: "Event", options: optionsOf([...EVENT_TYPES, TEST_EVENT]) },
          ...periodFilters("datetime-local"),
        }}
        values={filters}
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
    </>
  );
}

type NoDeliveriesProps = {
  page: Awaited<ReturnType<typeof listDeliveries>>;
  tab: (typeof TABS)[number];
  path: string;
  pageAt: (place: Record<string, string>) => string;
  isFiltered: boolean;
};

/** In place of a table without rows: why there are none, and where some are. */
function NoDeliveries({ page, tab, path, pageAt, isFiltered }: NoDeliveriesProps) {
  if (!page.isFirst && !page.older) return <BeyondTheEnd of="deliveries" newest={pageAt({})} />;
  const state = tab.show === undefined ? "" : `${tab.word.toLowerCase()} `;
  if (isFiltered)
    return (
      <EmptyState title={`No ${state}delivery matches`}>
        {page.older ? (
          <>
            Searched back to <Timestamp at={page.older.createdAt} />.{" "}
            <TextLink href={pageAt({ older: writeCursor(page.older) })}>Search older deliveries</TextLink>, or choose a
            time.
          </>
        ) : (
          <>
            <TextLink href={path}>Clear the filters</TextLink> to see every delivery.
          </>
        )}
      </EmptyState>
    );
  if (state !== "")
    return (
      <EmptyState title={`No ${state}delivery`}>
        <TextLink href={path}>Show all deliveries</TextLink>
      </EmptyState>
    );
  return (
    <EmptyState title="No delivery yet">
      Each event appears here with its attempts and your server’s response. Send a test event to see one.
    </EmptyState>
  );
}
