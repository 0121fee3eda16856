import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { formatNumber } from "@/lib/core/number";

type Props = { outcomes: { status: string; failureCode: number; count: number }[]; messagesHref: string };

/** A template's sends: one chip for each status, and WhatsApp's code where they failed. */
export function Outcomes({ outcomes, messagesHref }: Props) {
  if (outcomes.length === 0) return <span className="text-muted">None</span>;
  const total = outcomes.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <TextLink href={messagesHref}>{formatNumber(total)} in all</TextLink>
      {outcomes.map(({ status, failureCode, count }) => (
        <span key={`${status} ${failureCode}`} className="inline-flex items-center gap-1.5 tabular-nums">
          <MessageStatusChip status={status} />
          {formatNumber(count)}
          {failureCode === 0 ? null : <span className="text-sm text-muted">({failureCode})</span>}
        </span>
      ))}
    </div>
  );
}
