import { Select } from "@/app/_components/field";
import type { Overlap } from "@/lib/api-keys/overlap";

const WORDS: Record<Overlap, string> = {
  "24h": "24 hours",
  "1h": "1 hour",
  "15m": "15 minutes",
  now: "Revoke now (secret leaked)",
};

const ALL = Object.keys(WORDS) as Overlap[];

/** How long the previous secret works beside the new one. */
export function OverlapSelect({ overlaps = ALL }: { overlaps?: readonly Overlap[] }) {
  return (
    <Select label="Keep the previous secret valid for" name="overlap" defaultValue={overlaps[0]}>
      {overlaps.map((overlap) => (
        <option key={overlap} value={overlap}>
          {WORDS[overlap]}
        </option>
      ))}
    </Select>
  );
}
