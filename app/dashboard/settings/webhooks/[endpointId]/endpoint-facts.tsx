import type { ReactNode } from "react";
import { Copyable } from "@/app/_components/copy-button";
import { Fields } from "@/app/_components/panels";
import { Timestamp } from "@/app/_components/timestamp";
import { durationWords, MIN_SAMPLES } from "@/lib/core/duration-scale";
import { formatNumber, percentOf } from "@/lib/core/text";
import type { Undelivered } from "@/lib/outgoing/delivery-queries";
import type { Endpoint } from "@/lib/outgoing/endpoint-queries";
import { PRINTED_ONLY } from "@/lib/outgoing/events/event-types";
import type { DayOfDeliveries, Responses } from "@/lib/outgoing/response-queries";
import { CodeList } from "../../../_components/whatsapp-webhooks";
import { Sparkline } from "../../api-keys/sparkline";
import { EndpointUrl } from "../endpoint-state";

/** Until when the secret before the last rotation works, where it still does. */
export function previousUntil({ previousSecretEndsAt: at }: Endpoint): ReactNode {
  return at && at > new Date() ? <Timestamp at={at} /> : null;
}

type FiguresProps = { counts: Undelivered; responses: Responses; days: DayOfDeliveries[] };

/** How its deliveries go, side by side. */
export function EndpointFigures({ counts, responses, days }: FiguresProps) {
  const figures: Record<string, ReactNode> = {
    "Last 14 days": <Sparkline days={days} of={["delivery", "deliveries"]} failed="failed" />,
    "Success rate": successInWords(responses),
    "Response time": durationsInWords(responses),
    "Waiting, failed": `${formatNumber(counts.waiting)}, ${formatNumber(counts.failed)}`,
  };
  return (
    <dl className="mb-6 grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-4 border-t border-hairline pt-4 sm:grid-cols-2 xl:grid-cols-4">
      {Object.entries(figures).map(([name, figure]) => (
        <div key={name} className="grid content-start gap-1">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="tabular-nums">{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

export function EndpointFacts({ endpoint, secretDays }: { endpoint: Endpoint; secretDays: number }) {
  const { url, events, createdAt, format, listensUntil } = endpoint;
  const secretUntil = previousUntil(endpoint);
  return (
    <Fields
      rows={{
        URL: url === PRINTED_ONLY ? <EndpointUrl url={url} /> : <Copyable value={url} label="URL" />,
        Events: <CodeList codes={events} />,
        Secret: format === "events" && listensUntil === null ? secretAge(secretDays) : null,
        Created: <Timestamp at={createdAt} />,
        "Previous secret": secretUntil && <>works until {secretUntil}</>,
      }}
    />
  );
}

const secretAge = (days: number): string =>
  days === 0 ? "Created today" : days === 1 ? "1 day old" : `${formatNumber(days)} days old`;

function successInWords({ attempts, delivered }: Responses): string {
  if (attempts === 0) return "–";
  return `${percentOf(delivered, attempts)}% of the last ${attempts === 1 ? "attempt" : `${formatNumber(attempts)} attempts`}`;
}

/** Not shown for few attempts, where a percentile would mislead. */
const durationsInWords = ({ answered, p50, p95 }: Responses): string =>
  p50 === null || p95 === null || answered < MIN_SAMPLES
    ? `– (from ${MIN_SAMPLES} responses on)`
    : `p50 ${durationWords(p50)}, p95 ${durationWords(p95)}`;
