/** A native progress element: it needs no inline style, which the content security policy refuses. */
export function UsageBar({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <progress
      className={`usage-meter ${fill(used / limit)}`}
      max={limit}
      value={Math.min(used, limit)}
      aria-label={label}
    />
  );
}

const fill = (share: number): string =>
  share >= 1
    ? "[--usage-fill:var(--color-danger)]"
    : share >= 0.8
      ? "[--usage-fill:var(--color-caution)]"
      : "[--usage-fill:var(--color-accent)]";
