import { CodeBlock, FoldedCode } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { Fields, ROWS, Section } from "@/app/_components/panels";
import { ModeLabel } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import {
  attemptsInWords,
  DeliveryStateChip,
  isUnderWay,
  NextAttempt,
  ResponseChip,
  SubjectLink,
} from "@/app/dashboard/settings/webhooks/deliveries";
import { recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { formatNumber } from "@/lib/core/text";
import { type Attempt, type Delivery, findDelivery } from "@/lib/outgoing/delivery-queries";
import { type Endpoint, findEndpoint } from "@/lib/outgoing/endpoint-queries";
import { subjectOf } from "@/lib/outgoing/events/event-types";
import { FIXED_HEADERS, signatureHeaders } from "@/lib/outgoing/signed-request";
import { slackText } from "@/lib/outgoing/slack-text";
import { Page } from "../../../../../_components/page-frame";
import { ReplayDelivery } from "../../endpoint-actions";

const LIST = "/dashboard/settings/webhooks";
const REFRESH_MS = 5_000;

const readDelivery = recordPageLoader(
  `${LIST}/[endpointId]/deliveries/[deliveryId]`,
  async (workspaceId, endpointId, deliveryId) => {
    const [endpoint, delivery] = await Promise.all([
      findEndpoint(workspaceId, endpointId),
      findDelivery(workspaceId, endpointId, deliveryId),
    ]);
    return endpoint && delivery ? { endpoint, delivery } : undefined;
  },
  "manageWebhooks",
);

export const generateMetadata = recordTitle(
  readDelivery,
  ({ delivery, endpoint }) => `${delivery.type} · ${endpoint.label} · Webhooks`,
);

export default async function DeliveryPage(
  props: PageProps<"/dashboard/settings/webhooks/[endpointId]/deliveries/[deliveryId]">,
) {
  const { endpoint, delivery } = (await readDelivery(props)).found;
  const isPaused = endpoint.pausedAt !== null;
  const isWaiting = delivery.state === "PENDING";
  return (
    <Page
      title={delivery.type}
      chips={
        <>
          <DeliveryStateChip state={delivery.state} />
          <ModeLabel mode={endpoint.mode} />
          {attemptsInWords(delivery)}
        </>
      }
      actions={
        <ReplayDelivery endpointId={endpoint.id} deliveryId={delivery.id} isWaiting={isWaiting} isPaused={isPaused} />
      }
      back={{ href: `${LIST}/${endpoint.id}`, word: endpoint.label }}
      recordMode={endpoint.mode}
      refreshMs={REFRESH_MS}
    >
      <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-2">
        <div className="grid min-w-0 grid-cols-1 gap-8">
          <Fields
            rows={{
              "Webhook id": <Copyable value={delivery.id} label="webhook id" />,
              About: <SubjectLink type={delivery.type} subjectId={delivery.subjectId} />,
              Happened: <Timestamp at={delivery.occurredAt} />,
              Queued: <Timestamp at={delivery.createdAt} />,
              "Next attempt":
                isWaiting && !isUnderWay(delivery) ? (
                  <span className="inline-block first-letter:uppercase">
                    <NextAttempt at={delivery.nextAttemptAt} isPaused={isPaused} />
                  </span>
                ) : null,
            }}
          />
          <Section title="Attempts">
            {delivery.history.length === 0 ? (
              <p className="text-muted">None is finished yet. Each appears here with the response.</p>
            ) : (
              <ol reversed className={ROWS}>
                {delivery.history.toReversed().map((attempt, i) => (
                  <li key={attempt.number} className="grid grid-cols-1 gap-2 py-3">
                    <AttemptEntry
                      attempt={attempt}
                      isLast={i === 0}
                      isPersonal={subjectOf(delivery.type) === "contact"}
                    />
                  </li>
                ))}
              </ol>
            )}
          </Section>
        </div>
        <Section title="Request" className="min-w-0">
          <div className="grid grid-cols-1 gap-4">
            <CodeBlock label="Headers, without the signature" code={headersOf(delivery, endpoint)} />
            {delivery.body ? (
              <FoldedCode
                label="Body, indented"
                code={JSON.stringify(
                  endpoint.format === "events" ? delivery.body : { text: slackText(delivery.body) },
                  null,
                  2,
                )}
              />
            ) : (
              <p className="text-muted">The message was deleted from the database.</p>
            )}
          </div>
        </Section>
      </div>
    </Page>
  );
}

/** As the last attempt sent them; the URL is the endpoint's present one. */
function headersOf({ id, history }: Delivery, { url, format }: Endpoint): string {
  const at = history.at(-1)?.startedAt;
  const signed = {
    ...signatureHeaders({ id, at: at ?? new Date(0), body: "" }, []),
    ...(at ? {} : { "webhook-timestamp": "<seconds since 1970, of the attempt>" }),
    "webhook-signature": "v1,<signature>",
  };
  const headers = { ...FIXED_HEADERS, ...(format === "events" ? signed : {}) };
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
}

type AttemptProps = { attempt: Attempt; isLast: boolean; isPersonal: boolean };

function AttemptEntry({ attempt, isLast, isPersonal }: AttemptProps) {
  const { number, startedAt, durationMs, statusCode, failure, response } = attempt;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Attempt {number}</span>
        <ResponseChip statusCode={statusCode} />
        <Timestamp at={startedAt} />
        <span className="text-sm text-muted tabular-nums">{formatNumber(durationMs)} ms</span>
      </div>
      {failure ? <p className="break-words">{failure}</p> : null}
      {response ? (
        <details open={isLast}>
          <summary className="w-fit rounded-sm py-0.5 text-sm text-link">Response body</summary>
          <div className="mt-2">
            <FoldedCode label="The first 4 KB" code={response} />
          </div>
        </details>
      ) : statusCode === null ? null : (
        <p className="text-sm text-muted">
          {isPersonal ? "Its body is not stored: it may repeat what the person wrote." : "The response had no body."}
        </p>
      )}
    </>
  );
}
