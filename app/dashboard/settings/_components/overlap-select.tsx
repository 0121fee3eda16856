import { Select } from "@/app/_components/field";
import type { Overlap } from "@/lib/api-keys/overlap";

const WORDS: Record<Overlap, string> = {
  "24h": "24 hours",
  "1h": "1 hour",
  "15m": "15 minutes",
  now: "0 minutes (the secret has leaked)",
};

/** How long the previous secret works beside the new one. */
export function OverlapSelect() {
  return (
    <Select label="Keep the previous secret valid for" name="overlap" defaultValue="24h">
      {Object.entries(WORDS).map(([overlap, word]) => (
        <option key={overlap} value={overlap}>
          {word}
        </option>
      ))}
    </Select>
  );
}
