import { Chip, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import type { LineProblem } from "@/lib/phone-numbers/health";
import type { ShownLine } from "@/lib/phone-numbers/queries";

type Props = { line: Pick<ShownLine, "isActive" | "disconnectedAt">; worst: LineProblem | undefined };

/** Whether the line can send. It is green only where nothing serious is wrong. */
export function LineChip({ line, worst }: Props) {
  if (line.disconnectedAt) return <Chip tone="pending" icon="cross" word="Disconnected" />;
  if (worst?.stopsSends) return <Chip tone="bad" icon="cross" word="Cannot send" />;
  if (!line.isActive) return <Chip tone="caution" icon="pause" word="Paused" />;
  return worst?.tone === "bad" ? (
    <Chip tone="caution" icon="alert" word="Needs attention" />
  ) : (
    <Chip tone="good" icon="checks" word="Active" />
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
