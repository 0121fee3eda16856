import { Copyable } from "@/app/_components/copy-button";
import { Fields } from "@/app/_components/panels";
import { Code, Muted } from "@/app/_components/text";
import { may } from "@/lib/auth/page-member";
import { percentileWords } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/text";
import type { WebhookTraffic } from "@/lib/incoming/queries";
import { webhookValues } from "@/lib/phone-numbers/access-fields";

/** What is pasted in the webhook settings of WhatsApp's app; the token is for those who manage lines. */
export function MemberWebhookValues() {
  const { callbackUrl, verifyToken, fields } = webhookValues();
  return (
    <Fields
      rows={{
        "Callback URL": <Copyable value={callbackUrl} label="callback URL" />,
        "Verify token": may("manageLines") ? (
          <Copyable value={verifyToken} label="verify token" />
        ) : (
          <Muted>Only owners and admins see it.</Muted>
        ),
        "Fields to tick": <CodeList codes={fields} />,
      }}
    />
  );
}

/** Codes of an API, such as field names, in a row. */
export function CodeList({ codes }: { codes: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {codes.map((code) => (
        <li key={code}>
          <Code>{code}</Code>
        </li>
      ))}
    </ul>
  );
}

type Props = { traffic: WebhookTraffic | undefined; refusedSignatures: number };

/** What webhooks brought for a line in a day: counts that stand below each other from line to line. */
export function WebhookCounts({ traffic, refusedSignatures }: Props) {
  const counts = {
    processed: traffic?.taken,
    "from contacts": traffic?.inbound,
    duplicates: traffic?.duplicates,
    "out of order": traffic?.outOfOrder,
    unmatched: traffic?.unmatched,
  };
  return (
    <ul className="grid grid-cols-2 gap-x-4 gap-y-1 tabular-nums lg:grid-cols-3">
      {Object.entries(counts).map(([word, count]) => (
        <li key={word} className={count ? "" : "text-muted"}>
          {formatNumber(count ?? 0)} {word}
        </li>
      ))}
      <li className={refusedSignatures ? "font-medium text-danger" : "text-muted"}>
        {formatNumber(refusedSignatures)} bad signature
      </li>
    </ul>
  );
}

/** From WhatsApp's time of a status to its receipt; dashes while there are too few to say. */
export function WebhookLag({ traffic }: Pick<Props, "traffic">) {
  const lags = traffic?.lags ?? [];
  return (
    <span className="whitespace-nowrap tabular-nums">
      p50 {percentileWords(lags, 0.5)} · p95 {percentileWords(lags, 0.95)}
    </span>
  );
}
