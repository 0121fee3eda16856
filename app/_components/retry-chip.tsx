import type { ErrorPage } from "@/lib/docs/error-catalogue";
import { Chip } from "./chip";

export function RetryChip({ advice }: { advice: ErrorPage["retry"]["advice"] }) {
  if (advice === "yes") return <Chip tone="good" icon="check" word="Yes" />;
  if (advice === "no") return <Chip tone="bad" icon="cross" word="No" />;
  return <Chip tone="caution" icon="alert" word="It depends" />;
}
