import { csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { SERIES, toBars } from "./status-series";
import { listStatusCounts, type UsageScope } from "./usage-queries";
import { bucketsOf } from "./usage-range";

/** The bars of a range as a CSV file, oldest first; an hour is named by its beginning in UTC. */
export async function usageDownload(workspaceId: WorkspaceId, scope: UsageScope): Promise<Response> {
  const buckets = bucketsOf(scope.range, new Date(), scope.timeZone);
  const bars = toBars(buckets, await listStatusCounts(workspaceId, scope));
  const name = (bucket: string) => (scope.range === "24h" ? new Date(Number(bucket)) : bucket);
  const rows = bars.map(({ bucket, counts, total }) => [
    name(bucket),
    ...SERIES.map((series) => counts[series]),
    total,
  ]);
  return csvDownload("usage.csv", ["from", ...SERIES.map((series) => series.toLowerCase()), "all"], once(rows));
}

async function* once<T>(page: T): AsyncGenerator<T> {
  yield page;
}
