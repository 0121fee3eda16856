import { ListFilters } from "@/app/_components/list-filters";
import { labelled } from "@/app/_components/options";
import type { Mode } from "@/db/schema/identity";
import { listKeys } from "@/lib/api-keys/queries";
import { may, pageMember } from "@/lib/auth/page-member";
import { type UsageFilters as Filters, RANGE_WORDS, STANDARD_RANGE } from "@/lib/messages/usage-range";
import { listLines } from "@/lib/phone-numbers/queries";

type Props = { path: string; mode: Mode; filters: Filters };

/** Range, line and, for those who may see keys, key: in the address, like every filter. */
export async function UsageFilters({ path, mode, filters }: Props) {
  const { workspaceId } = pageMember();
  const [lines, allKeys] = await Promise.all([listLines(workspaceId), may("seeApiKeys") ? listKeys(workspaceId) : []]);
  const keys = allKeys.filter((key) => key.mode === mode).map((key) => ({ ...key, label: key.label || key.apiKey }));
  return (
    <ListFilters
      path={path}
      filters={{
        range: {
          label: "Range",
          standard: STANDARD_RANGE,
          options: Object.entries(RANGE_WORDS).map(([value, word]) => ({ value, word })),
        },
        line: { label: "Line", options: labelled(lines.filter((line) => line.mode === mode)) },
        ...(keys.length > 0 ? { key: { label: "Key", options: labelled(keys) } } : {}),
      }}
      values={filters}
    />
  );
}
