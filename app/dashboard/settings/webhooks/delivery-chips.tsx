import { Chip, type Tone } from "@/app/_components/chip";
import type { IconName } from "@/app/_components/icon";
import type { DeliveryState, LastAttempt } from "@/lib/outgoing/delivery-queries";

export function DeliveryStateChip({ state }: { state: DeliveryState }) {
  return <Chip {...LOOKS[state]} />;
}

const LOOKS: Record<DeliveryState, { tone: Tone; icon: IconName; word: string }> = {
  PENDING: { tone: "pending", icon: "clock", word: "Waiting" },
  DELIVERED: { tone: "good", icon: "checks", word: "Delivered" },
  FAILED: { tone: "bad", icon: "cross", word: "Failed" },
};

/** What an endpoint answered: only a 2xx takes the event. */
export function ResponseChip({ statusCode }: Pick<LastAttempt, "statusCode">) {
  if (statusCode === null) return <Chip tone="bad" icon="cross" word="No response" />;
  const isTaken = statusCode >= 200 && statusCode < 300;
  return <Chip tone={isTaken ? "good" : "bad"} icon={isTaken ? "check" : "cross"} word={String(statusCode)} />;
}

type Attempts = { attempts: number; leasedUntil: Date | null };

export function isUnderWay({ leasedUntil }: Pick<Attempts, "leasedUntil">): boolean {
  return leasedUntil !== null && leasedUntil.getTime() > Date.now();
}

export function attemptsInWords({ attempts, leasedUntil }: Attempts): string {
  if (isUnderWay({ leasedUntil })) return "Attempt under way";
  if (attempts === 0) return "No attempt yet";
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}
