import type { Mode } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type Absence, choosePhoneNumber, noSuchPhoneNumber } from "./choose-line";
import { findLine } from "./queries";

type Holder<T> = { workspaceId: WorkspaceId; mode: Mode; lines: readonly T[] };

/**
 * Returns the line that a call asks for, or the only active one. Throws as `choosePhoneNumber` does; where the id is that
 * of a line of the same workspace which the key does not see, the refusal says why.
 */
export async function lineAskedFor<T extends { id: string; label: string; isActive: boolean }>(
  { workspaceId, mode, lines }: Holder<T>,
  requestedId: string | undefined,
): Promise<T> {
  if (requestedId === undefined || lines.some(({ id }) => id === requestedId)) {
    return choosePhoneNumber(lines, requestedId);
  }
  const own = await findLine(workspaceId, requestedId);
  throw noSuchPhoneNumber(lines, requestedId, own && absenceOf(own, mode));
}

const absenceOf = (line: { mode: Mode; disconnectedAt: Date | null }, keyMode: Mode): Absence | undefined => {
  if (line.disconnectedAt !== null) return { reason: "disconnected" };
  // Connected since the key was read, it is seen by the next call.
  return line.mode === keyMode ? undefined : { reason: "otherMode", mode: line.mode };
};
