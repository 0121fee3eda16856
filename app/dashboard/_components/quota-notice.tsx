import { Notice } from "@/app/_components/notice";
import { TextLink } from "@/app/_components/text-link";
import { formatNumber } from "@/lib/core/number";
import { reachedMark } from "@/lib/workspaces/quota";

/** Says it before a send is refused: at 80, 90 and 100 % of the monthly limit. */
export function QuotaNotice({ used, limit }: { used: number; limit: number | null }) {
  const mark = reachedMark(used, limit);
  if (mark === undefined || limit === null) return null;
  const counts = `${formatNumber(used)} of ${formatNumber(limit)} messages of this month are used.`;
  return (
    <Notice
      tone={mark === 100 ? "bad" : "caution"}
      action={<TextLink href="/dashboard/settings/plan">Plan & limits</TextLink>}
    >
      {mark === 100
        ? `The monthly limit is reached: ${counts} Every further live send is refused with 402 PLAN_LIMIT_EXCEEDED.`
        : `More than ${mark} % of the monthly limit is used: ${counts}`}
    </Notice>
  );
}
