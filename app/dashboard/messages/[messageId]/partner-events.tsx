import { TextLink } from "@/app/_components/link";
import { Card } from "@/app/_components/panels";
import { Code, Muted } from "@/app/_components/text";
import { pageMember } from "@/lib/auth/page-member";
import { listDeliveriesAbout } from "@/lib/outgoing/delivery-queries";
import { DeliveryStateChip } from "../../settings/webhooks/deliveries";

const ENDPOINTS = "/dashboard/settings/webhooks";

/** What the workspace's own servers were sent about a message. */
export async function PartnerEvents({ messageId }: { messageId: string }) {
  const deliveries = await listDeliveriesAbout(pageMember().workspaceId, messageId);
  if (deliveries.length === 0) return null;
  return (
    <Card title="Sent to your webhooks">
      <ul className="grid gap-2">
        {deliveries.map(({ id, type, state, endpointId, endpoint, lastAttempt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <TextLink href={`${ENDPOINTS}/${endpointId}/deliveries/${id}`} prefetch={false}>
              <Code>{type}</Code>
            </TextLink>
            <span className="min-w-0 truncate text-sm text-muted">to {endpoint}</span>
            <span className="ms-auto inline-flex items-center gap-2">
              {lastAttempt?.statusCode ? <Muted>{lastAttempt.statusCode}</Muted> : null}
              <DeliveryStateChip state={state} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
