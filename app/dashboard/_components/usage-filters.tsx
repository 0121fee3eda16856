import type { Filter } from "@/app/_components/list-filters";
import { ListFilters } from "@/app/_components/list-filters";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { listLines } from "@/lib/phone-numbers/queries";
import { type UsageFilters as Filters, RANGE_WORDS, STANDARD_RANGE, USAGE_RANGES } from "@/lib/usage/usage-range";
import { can } from "@/lib/workspaces/roles";

/** Range, line and, for those who may see keys, key: in the address, like every filter. */
export async function UsageFilters({ path, filters, member }: { path: string; filters: Filters; member: Member }) {
  const [lines, keys] = await Promise.all([
    listLines(member.workspaceId),
    can(member.role, "seeApiKeys") ? listKeys(member.workspaceId) : [],
  ]);
  const chosen: Filter[] = [
    {
      ...{ name: "range", label: "Range", value: filters.range, standard: STANDARD_RANGE },
      options: Object.keys(USAGE_RANGES).map((range) => ({ value: range, word: words(range) })),
    },
    {
      ...{ name: "line", label: "Line", value: filters.line },
      options: lines.map(({ id, label }) => ({ value: id, word: label })),
    },
  ];
  const keyFilter: Filter = {
    ...{ name: "key", label: "Key", value: filters.key },
    options: keys.map(({ id, label, apiKey }) => ({ value: id, word: label || apiKey })),
  };
  return <ListFilters path={path} filters={keys.length > 0 ? [...chosen, keyFilter] : chosen} />;
}

const words = (range: string): string => RANGE_WORDS[range as keyof typeof RANGE_WORDS] ?? range;
