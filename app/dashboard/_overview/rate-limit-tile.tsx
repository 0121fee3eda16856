import { Timestamp } from "@/app/_components/timestamp";
import { UsageBar } from "@/app/_components/usage-bar";
import { Tile } from "./tile";

type Row = { name: string; calls: number; limit: number };

type Props = { address: Row | undefined; apiKey: Row | undefined; resetsAt: Date; timeZone: string };

/** How far the busiest address and the busiest key are from their limits, and which of the two will refuse first. */
export function RateLimitTile({ address, apiKey, resetsAt, timeZone }: Props) {
  const rows = [address, apiKey].filter((row) => row !== undefined);
  const binding = rows.toSorted((one, other) => remaining(one) - remaining(other))[0];
  return (
    <Tile
      name="Rate limit (15-minute window)"
      aside={
        <span className="text-sm text-muted">
          starts again <Timestamp at={resetsAt} timeZone={timeZone} withDay={false} />
        </span>
      }
    >
      {rows.length === 0 ? (
        <p className="text-muted">No call in this window.</p>
      ) : (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {rows.map((row) => (
            <li key={row.name}>
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <span className="min-w-0 truncate">{row.name}</span>
                <span>
                  {remaining(row)} <span className="text-muted">of {row.limit} left</span>
                  {row === binding ? <strong className="ms-2 font-medium">binds first</strong> : null}
                </span>
              </p>
              <UsageBar used={row.calls} limit={row.limit} label={`Calls of ${row.name} in this window`} />
            </li>
          ))}
        </ul>
      )}
    </Tile>
  );
}

const remaining = ({ calls, limit }: Row): number => Math.max(0, limit - calls);
