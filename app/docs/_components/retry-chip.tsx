import { Chip, type Chips } from "@/app/_components/text";
import type { ErrorPage } from "@/lib/docs/error-catalogue";

type Advice = ErrorPage["retry"]["advice"];

export function RetryChip({ advice }: { advice: Advice }) {
  return <Chip {...ADVICE[advice]} />;
}

const ADVICE: Chips<Advice> = {
  yes: { tone: "good", icon: "check", word: "Yes" },
  no: { tone: "bad", icon: "cross", word: "No" },
  sometimes: { tone: "caution", icon: "alert", word: "It depends" },
};
