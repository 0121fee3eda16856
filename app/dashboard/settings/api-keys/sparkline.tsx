import type { DayOfUse } from "@/lib/api-keys/queries";
import { formatNumber } from "@/lib/core/text";

const WIDTH = 6;
const HEIGHT = 24;

type Props = {
  days: DayOfUse[];
  /** The counted thing, singular and plural. */
  of?: readonly [one: string, many: string];
  failed?: string;
};

/** Calls by day, refused ones on top. Its label says the same in words. */
export function Sparkline({ days, of = ["call", "calls"], failed = "refused or failed" }: Props) {
  const most = Math.max(1, ...days.map(({ ok, errors }) => ok + errors));
  const height = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT));
  return (
    <svg
      role="img"
      aria-label={inWords(days, of, failed)}
      viewBox={`0 0 ${days.length * (WIDTH + 1)} ${HEIGHT}`}
      className="h-6 w-28"
      preserveAspectRatio="none"
    >
      {days.map(({ ok, errors }, i) => {
        const [good, bad] = [height(ok), height(errors)];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a day's place is what it is
          <g key={i}>
            <rect x={i * (WIDTH + 1)} y={HEIGHT - 1} width={WIDTH} height={1} className="fill-hairline" />
            <rect x={i * (WIDTH + 1)} y={HEIGHT - good} width={WIDTH} height={good} className="fill-accent" />
            <rect x={i * (WIDTH + 1)} y={HEIGHT - good - bad} width={WIDTH} height={bad} className="fill-danger" />
          </g>
        );
      })}
    </svg>
  );
}

function inWords(days: DayOfUse[], [one, many]: readonly [string, string], failed: string): string {
  const [ok, errors] = [days.reduce((all, day) => all + day.ok, 0), days.reduce((all, day) => all + day.errors, 0)];
  const all = ok + errors;
  if (all === 0) return `No ${one} in ${days.length} days`;
  return `${formatNumber(all)} ${all === 1 ? one : many} in ${days.length} days, ${formatNumber(errors)} of them ${failed}`;
}
