/** A moment in the workspace's own time zone; locale and zone are explicit, so server and browser agree. */
export function Timestamp({ at, timeZone, absent = "–" }: { at: Date | null; timeZone: string; absent?: string }) {
  if (!at) return <span className="text-muted">{absent}</span>;
  return (
    <time dateTime={at.toISOString()} title={at.toISOString()}>
      <span className="whitespace-nowrap">{at.toLocaleDateString("en-GB", { ...DAY, timeZone })}</span>{" "}
      <span className="whitespace-nowrap">{at.toLocaleTimeString("en-GB", { timeZone })}</span>
    </time>
  );
}

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;
