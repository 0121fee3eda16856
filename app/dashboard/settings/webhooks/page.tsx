import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageMode } from "@/app/_components/link-mode";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { MOST_ENDPOINTS } from "@/db/schema";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/number";
import { countUndelivered } from "@/lib/outgoing/delivery-queries";
import { listEndpoints } from "@/lib/outgoing/endpoint-queries";
import { eventsInShort } from "@/lib/public-api/event-types";
import { AutoRefresh } from "../../_components/auto-refresh";
import { AddEndpoint } from "./add-endpoint";
import { EndpointStateCell } from "./endpoint-state-chip";
import { EndpointUrl } from "./endpoint-url";
import { urlHint } from "./url-hint";

export const metadata: Metadata = { title: "Webhooks" };

const PATH = "/dashboard/settings/webhooks";
const REFRESH_MS = 15_000;

export default async function WebhooksPage({ searchParams }: PageProps<"/dashboard/settings/webhooks">) {
  const member = await requireMember("manageWebhooks");
  const { workspaceId, workspace } = member;
  const mode = await shownMode(member, searchParams);
  const { create } = await searchParams;
  const [endpoints, undelivered] = await Promise.all([listEndpoints(workspaceId, mode), countUndelivered(workspaceId)]);
  const countOf = (id: string, of: "waiting" | "failed") => undelivered.get(id)?.[of] ?? 0;
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading
        title="Webhooks"
        actions={
          <AddEndpoint
            // An address that asks for the dialog opens it also where the page is shown already.
            key={create === undefined ? "list" : "create"}
            workspaceId={workspaceId}
            mode={mode}
            urlHint={urlHint(mode)}
            lack={
              endpoints.filter(({ listensUntil }) => listensUntil === null).length < MOST_ENDPOINTS
                ? undefined
                : `${MOST_ENDPOINTS} ${mode} endpoints are the limit. Delete one to add another.`
            }
            isOpen={create !== undefined}
          />
        }
      >
        An endpoint is a URL of yours. Switchboard posts an event to it when the status of a {mode} message or template
        changes. <TextLink href="/docs/webhooks">How to receive events</TextLink>
      </PageHeading>
      <AutoRefresh everyMs={REFRESH_MS} />
      {endpoints.length === 0 ? (
        <EmptyState title={`No ${mode} endpoint yet`}>
          Endpoints appear here with their state and what they have not received. Add one, then send it a test event.
          {mode === "test" ? (
            <>
              {" "}
              <TextLink href="/docs/webhooks#local">Or receive events on your computer</TextLink>.
            </>
          ) : null}
        </EmptyState>
      ) : (
        <DataTable
          caption={`Endpoints of ${mode} mode, times in ${workspace.timeZone}`}
          rows={endpoints}
          rowKey={({ id }) => id}
          columns={[
            { heading: "Label", cell: ({ id, label }) => <TextLink href={`${PATH}/${id}`}>{label}</TextLink> },
            { heading: "URL", cell: ({ url }) => <EndpointUrl url={url} /> },
            { heading: "Events", cell: ({ events }) => eventsInShort(events) },
            {
              heading: "State",
              cell: (endpoint) => <EndpointStateCell endpoint={endpoint} timeZone={workspace.timeZone} />,
            },
            { heading: "Waiting", cell: ({ id }) => formatNumber(countOf(id, "waiting")) },
            { heading: "Failed", cell: ({ id }) => formatNumber(countOf(id, "failed")) },
          ]}
        />
      )}
    </>
  );
}
