import { TextLink } from "@/app/_components/text-link";
import { formatNumber } from "@/lib/core/number";
import type { getLineUsage } from "@/lib/phone-numbers/queries";

const MOST_FAILURES = 5;

type Props = { lineId: string; usage: Awaited<ReturnType<typeof getLineUsage>> };

/** What was sent from a line in a week, and what failed by WhatsApp's code. */
export function LineUsage({ lineId, usage: { total, failed, failures } }: Props) {
  return (
    <section aria-labelledby="usage">
      <h2 id="usage" className="text-lg font-semibold">
        Last 7 days
      </h2>
      <p className="mt-1 tabular-nums">
        {formatNumber(total)} {total === 1 ? "message" : "messages"}, {formatNumber(failed)} failed
      </p>
      {failures.length > 0 ? (
        <ul className="mt-2 grid gap-1">
          {failures.slice(0, MOST_FAILURES).map(({ code, count: times }) => (
            <li key={code ?? "none"} className="tabular-nums">
              <span className="font-mono text-sm">{code ?? "Without a code"}</span>{" "}
              <span className="text-muted">× {formatNumber(times)}</span>
            </li>
          ))}
        </ul>
      ) : null}
      <p className="mt-2 flex flex-wrap gap-x-4">
        <TextLink href={`/dashboard/messages?line=${lineId}`}>Messages of this line</TextLink>
        {failed > 0 ? (
          <TextLink href={`/dashboard/messages?line=${lineId}&status=FAILED`}>Those that failed</TextLink>
        ) : null}
      </p>
    </section>
  );
}
