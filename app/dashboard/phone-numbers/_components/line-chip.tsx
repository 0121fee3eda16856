import { Chip } from "@/app/_components/chip";

type Line = { isActive: boolean; disconnectedAt: Date | null };

export function LineChip({ line }: { line: Line }) {
  if (line.disconnectedAt) return <Chip tone="pending" icon="cross" word="Disconnected" />;
  return line.isActive ? (
    <Chip tone="good" icon="checks" word="Active" />
  ) : (
    <Chip tone="caution" icon="pause" word="Paused" />
  );
}
