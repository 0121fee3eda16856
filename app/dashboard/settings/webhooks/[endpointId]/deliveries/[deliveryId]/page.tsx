import type { Metadata } from "next";
import { cache } from "react";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { RecordMode } from "@/app/_components/link-mode";
import { PageHeading } from "@/app/_components/page-heading";
import { ModeLabel } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Mode } from "@/db/schema/identity";
import { requireMemberOf } from "@/lib/auth/page-member";
import { readMode } from "@/lib/core/page-mode";
import { type Delivery, findDelivery } from "@/lib/outgoing/delivery-queries";
import { type Endpoint, findEndpoint } from "@/lib/outgoing/endpoint-queries";
import { FIXED_HEADERS, signatureHeaders } from "@/lib/outgoing/signature";
import { AutoRefresh } from "../../../../../_components/auto-refresh";
import { attemptsInWords, DeliveryStateChip, isUnderWay } from "../../../delivery-chips";
import { NextAttempt } from "../../../next-attempt";
import { SubjectLink } from "../../../subject-link";
import { AttemptList } from "./attempt-list";
import { ReplayDelivery } from "./replay-delivery";

const LIST = "/dashboard/settings/webhooks";
const REFRESH_MS = 5_000;

type Props = PageProps<"/dashboard/settings/webhooks/[endpointId]/deliveries/[deliveryId]">;

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { endpoint, delivery } = await readDelivery(props);
  return { title: `${delivery.type} · ${endpoint.label} · Webhooks` };
}

export default async function DeliveryPage(props: Props) {
  const { endpoint, delivery, member } = await readDelivery(props);
  const { workspaceId, workspace } = member;
  const { timeZone } = workspace;
  const isPaused = endpoint.pausedAt !== null;
  const isWaiting = delivery.state === "PENDING";
  return (
    <RecordMode mode={endpoint.mode}>
      <AutoRefresh everyMs={REFRESH_MS} />
      <p className="mb-2 text-sm break-words">
        <TextLink href={LIST}>Webhooks</TextLink> <span aria-hidden="true">/</span>{" "}
        <TextLink href={`${LIST}/${endpoint.id}`}>{endpoint.label}</TextLink>
      </p>
      <PageHeading
        title={delivery.type}
        actions={
          <ReplayDelivery
            workspaceId={workspaceId}
            endpointId={endpoint.id}
            deliveryId={delivery.id}
            isWaiting={isWaiting}
            isPaused={isPaused}
          />
        }
      >
        <span className="flex flex-wrap items-center gap-2">
          <DeliveryStateChip state={delivery.state} />
          <ModeLabel mode={endpoint.mode} />
          {attemptsInWords(delivery)}
        </span>
      </PageHeading>
      <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 gap-8">
          <Fields>
            <FieldRow name="Webhook id">
              <Copyable value={delivery.id} label="webhook id" />
            </FieldRow>
            <FieldRow name="About">
              <SubjectLink type={delivery.type} subjectId={delivery.subjectId} />
            </FieldRow>
            <FieldRow name="Happened">
              <Timestamp at={delivery.occurredAt} timeZone={timeZone} />
            </FieldRow>
            <FieldRow name="Queued">
              <Timestamp at={delivery.createdAt} timeZone={timeZone} />
            </FieldRow>
            {isWaiting && !isUnderWay(delivery) ? (
              <FieldRow name="Next attempt">
                <span className="inline-block first-letter:uppercase">
                  <NextAttempt at={delivery.nextAttemptAt} isPaused={isPaused} timeZone={timeZone} />
                </span>
              </FieldRow>
            ) : null}
          </Fields>
          <AttemptList attempts={delivery.history} timeZone={timeZone} />
        </div>
        <section aria-labelledby="request" className="grid min-w-0 grid-cols-1 gap-4">
          <h2 id="request" className="text-lg font-semibold">
            Request
          </h2>
          <CodeBlock label="Headers, without the signature" code={headersOf(delivery, endpoint)} />
          <CodeBlock label="Body, indented" code={JSON.stringify(delivery.body, null, 2)} />
        </section>
      </div>
    </RecordMode>
  );
}

/** As the last attempt sent them; the URL is the endpoint's present one. */
const headersOf = ({ id, history }: Delivery, { url }: Endpoint): string => {
  const at = history.at(-1)?.startedAt;
  const headers = {
    ...FIXED_HEADERS,
    ...signatureHeaders({ id, at: at ?? new Date(0), body: "" }, []),
    ...(at ? {} : { "webhook-timestamp": "<seconds since 1970, of the attempt>" }),
    "webhook-signature": "v1,<signature>",
  };
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
};

const memberAndDelivery = cache(async (endpointId: string, deliveryId: string, mode: Mode | undefined) => {
  const { member, found } = await requireMemberOf(
    { path: `${LIST}/${encodeURIComponent(endpointId)}/deliveries/${encodeURIComponent(deliveryId)}`, mode },
    async (workspaceId) => {
      const [endpoint, delivery] = await Promise.all([
        findEndpoint(workspaceId, endpointId),
        findDelivery(workspaceId, endpointId, deliveryId),
      ]);
      return endpoint && delivery ? { endpoint, delivery } : undefined;
    },
    "manageWebhooks",
  );
  return { ...found, member };
});

const readDelivery = async ({ params, searchParams }: Props) => {
  const { endpointId, deliveryId } = await params;
  return memberAndDelivery(endpointId, deliveryId, readMode((await searchParams).mode));
};
