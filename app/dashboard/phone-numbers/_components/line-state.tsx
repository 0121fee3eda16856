import { Chip, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { ShownLine } from "@/lib/phone-numbers/queries";

export function LineChip({ line }: { line: Pick<ShownLine, "isActive" | "disconnectedAt"> }) {
  if (line.disconnectedAt) return <Chip tone="pending" icon="cross" word="Disconnected" />;
  return line.isActive ? (
    <Chip tone="good" icon="checks" word="Active" />
  ) : (
    <Chip tone="caution" icon="pause" word="Paused" />
  );
}

/** The state of a line's token in a few words. */
export function TokenState({ line }: { line: ShownLine }) {
  const { mode, tokenProblem, tokenCheckedAt, tokenExpiresAt, disconnectedAt } = line;
  if (disconnectedAt) return <Muted>Deleted</Muted>;
  if (mode === "test") return <Muted>Sandbox, none needed</Muted>;
  if (tokenProblem !== null) return <span className="font-medium text-danger">Refused</span>;
  if (tokenExpiresAt) return <Timestamp before="Ends" at={tokenExpiresAt} />;
  return tokenCheckedAt ? "Valid, expiry unknown" : <Muted>Not checked yet</Muted>;
}
