import { Select } from "@/app/_components/field";
import type { Overlap } from "@/lib/api-keys/overlap";

const WORDS: Record<Overlap, string> = {
  "24h": "24 hours",
  "1h": "1 hour",
  "15m": "15 minutes",
  now: "No time: it has leaked",
};

/** How long the present secret works beside the one that replaces it. */
export function OverlapSelect() {
  return (
    <Select label="The present secret works for another" name="overlap" defaultValue="24h">
      {Object.entries(WORDS).map(([overlap, word]) => (
        <option key={overlap} value={overlap}>
          {word}
        </option>
      ))}
    </Select>
  );
}
