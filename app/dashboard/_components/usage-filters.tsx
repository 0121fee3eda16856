import type { Filter } from "@/app/_components/list-filters";
import { ListFilters } from "@/app/_components/list-filters";
import type { Mode } from "@/db/schema/identity";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { type UsageFilters as Filters, RANGE_WORDS, STANDARD_RANGE, USAGE_RANGES } from "@/lib/messages/usage-range";
import { listLines } from "@/lib/phone-numbers/queries";
import { can } from "@/lib/workspaces/roles";

type Props = { path: string; mode: Mode; filters: Filters; member: Member };

/** Range, line and, for those who may see keys, key: in the address, like every filter. */
export async function UsageFilters({ path, mode, filters, member }: Props) {
  const [lines, keys] = await Promise.all([
    listLines(member.workspaceId),
    can(member.role, "seeApiKeys") ? listKeys(member.workspaceId) : [],
  ]);
  const ofMode = (one: { mode: Mode }) => one.mode === mode;
  const chosen: Filter[] = [
    {
      name: "range",
      label: "Range",
      value: filters.range,
      standard: STANDARD_RANGE,
      options: Object.keys(USAGE_RANGES).map((range) => ({ value: range, word: words(range) })),
    },
    {
      name: "line",
      label: "Line",
      value: filters.line,
      options: lines.filter(ofMode).map(({ id, label }) => ({ value: id, word: label })),
    },
  ];
  const keyFilter: Filter = {
    name: "key",
    label: "Key",
    value: filters.key,
    options: keys.filter(ofMode).map(({ id, label, apiKey }) => ({ value: id, word: label || apiKey })),
  };
  return <ListFilters path={path} filters={keyFilter.options?.length ? [...chosen, keyFilter] : chosen} />;
}

const words = (range: string): string => RANGE_WORDS[range as keyof typeof RANGE_WORDS] ?? range;
