import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState } from "@/app/_components/panels";
import { MAX_ENDPOINTS } from "@/db/schema";
import { pageMember, shownMode } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import { countUndelivered } from "@/lib/outgoing/delivery-queries";
import { listEndpoints } from "@/lib/outgoing/endpoint-queries";
import { eventsInShort } from "@/lib/outgoing/events/event-types";
import { Page, pageFor } from "../../_components/page-frame";
import { AddEndpoint, AddSlackChannel } from "./endpoint-forms";
import { EndpointStateCell, EndpointUrl, urlHint } from "./endpoint-state";

export const metadata = { title: "Webhooks" };

const PATH = "/dashboard/settings/webhooks";
const REFRESH_MS = 15_000;

export default pageFor("manageWebhooks", WebhooksPage);

async function WebhooksPage({ searchParams }: PageProps<"/dashboard/settings/webhooks">) {
  const member = pageMember();
  const { workspaceId, workspace } = member;
  const mode = await shownMode(member, searchParams);
  const [endpoints, undelivered] = await Promise.all([listEndpoints(workspaceId, mode), countUndelivered(workspaceId)]);
  const lack =
    endpoints.filter(({ listensUntil }) => listensUntil === null).length < MAX_ENDPOINTS
      ? undefined
      : `${MAX_ENDPOINTS} ${mode} endpoints are the limit. Delete one to add another.`;
  return (
    <Page
      title="Webhooks"
      intro={
        <>
          An endpoint is a URL of yours. Switchboard sends it the events that you choose, such as each status of a{" "}
          {mode} message. <TextLink href="/docs/webhooks">How to receive events</TextLink>
        </>
      }
      actions={
        <div className="flex flex-wrap gap-3">
          {mode === "live" ? <AddSlackChannel lack={lack} /> : null}
          <AddEndpoint mode={mode} urlHint={urlHint(mode)} lack={lack} />
        </div>
      }
      mode={mode}
      refreshMs={REFRESH_MS}
    >
      <DataTable
        caption={`Endpoints of ${mode} mode, times in ${workspace.timeZone}`}
        rows={endpoints}
        columns={{
          Label: ({ id, label }) => <TextLink href={`${PATH}/${id}`}>{label}</TextLink>,
          URL: ({ url }) => <EndpointUrl url={url} />,
          Events: ({ events }) => eventsInShort(events),
          State: (endpoint) => <EndpointStateCell endpoint={endpoint} />,
          Waiting: ({ id }) => formatNumber(undelivered.get(id)?.waiting ?? 0),
          Failed: ({ id }) => formatNumber(undelivered.get(id)?.failed ?? 0),
        }}
        empty={
          <EmptyState title={`No ${mode} endpoint yet`}>
            Endpoints appear here with their state and what they have not received. Add one, then send it a test event.
            {mode === "test" ? (
              <>
                {" "}
                <TextLink href="/docs/webhooks#local">Or receive events on your computer</TextLink>.
              </>
            ) : null}
          </EmptyState>
        }
      />
    </Page>
  );
}
