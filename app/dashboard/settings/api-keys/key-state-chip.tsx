import { Chip, type Chips } from "@/app/_components/text";
import type { KeyState } from "@/lib/api-keys/key-age";

export function KeyStateChip({ state }: { state: KeyState }) {
  return <Chip {...KEY_STATES[state]} />;
}

const KEY_STATES: Chips<KeyState> = {
  active: { tone: "good", icon: "check", word: "Active" },
  expired: { tone: "caution", icon: "alert", word: "Expired" },
  revoked: { tone: "bad", icon: "cross", word: "Revoked" },
};
