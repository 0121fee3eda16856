import type { Mode } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { findLine } from "./queries";

type Candidate = { id: string; label: string; isActive: boolean };

/**
 * Returns the line to send from: the requested one, else the only active one.
 * Throws PHONE_NUMBER_NOT_FOUND, PHONE_NUMBER_INACTIVE, NO_PHONE_NUMBER or PHONE_NUMBER_REQUIRED (400).
 */
function choosePhoneNumber<T extends Candidate>(lines: readonly T[], requestedId: string | undefined): T {
  if (requestedId !== undefined) {
    const requested = lines.find(({ id }) => id === requestedId);
    if (!requested) throw noSuchPhoneNumber(lines, requestedId);
    if (!requested.isActive) throw inactive(requested);
    return requested;
  }
  const [only, ...others] = lines.filter(({ isActive }) => isActive);
  if (!only) {
    throw new AppError(
      "NO_PHONE_NUMBER",
      "No active line is connected for this key's mode. An owner or admin of the workspace can connect or resume one; a pk_test_ key needs a test line only.",
      { details: { retryable: false } },
    );
  }
  if (others.length > 0) throw phoneNumberRequired([only, ...others]);
  return only;
}

/** The 400 for a call that must name one of several active lines. */
export function phoneNumberRequired(active: readonly [Candidate, ...Candidate[]]): AppError {
  const [{ id, label }] = active;
  return new AppError(
    "PHONE_NUMBER_REQUIRED",
    `This workspace has ${active.length} active lines. Add \`phoneNumberId\` (the id after /dashboard/phone-numbers/), for example "${id}" for ${label}.`,
    {
      details: {
        field: "phoneNumberId",
        retryable: false,
        phoneNumbers: active.map((line) => ({ id: line.id, label: line.label })),
      },
    },
  );
}

/** Why a key cannot see a line of its workspace. */
type Absence = { reason: "otherMode"; mode: Mode } | { reason: "disconnected" };

/** The 400 for an id that is not among the key's lines; without `absence` it may belong to another workspace. */
function noSuchPhoneNumber(lines: readonly Candidate[], requestedId: string, absence?: Absence): AppError {
  const example = lines.find(({ isActive }) => isActive);
  const why = absence ? whyAbsent(absence, example) : unknownLine(requestedId, example);
  return new AppError("PHONE_NUMBER_NOT_FOUND", `\`phoneNumberId\` "${requestedId.slice(0, 80)}" ${why}`, {
    details: { field: "phoneNumberId", retryable: false },
  });
}

const whyAbsent = (absence: Absence, example: Candidate | undefined): string => {
  const such = example ? `, for example "${example.id}"` : "";
  if (absence.reason === "disconnected") {
    return `is a line that was disconnected from this workspace. Use another line${such}.`;
  }
  const [its, keys] = absence.mode === "test" ? ["test", "live"] : ["live", "test"];
  return `is a ${its} line, and this is a ${keys} key. Use a key that begins with pk_${its}_, or send from a ${keys} line${such}.`;
};

const unknownLine = (requestedId: string, example: Candidate | undefined) => {
  const hint = /^\d+$/.test(requestedId) ? " It looks like WhatsApp's numeric id, which does not work here." : "";
  const fix = example ? ` Use our id, for example "${example.id}".` : " Use the id after /dashboard/phone-numbers/.";
  return `is not a line of this workspace and key mode.${hint}${fix}`;
};

const inactive = ({ id, label }: Candidate) =>
  new AppError(
    "PHONE_NUMBER_INACTIVE",
    `Line "${label}" (${id}) is paused. Ask an owner or admin of the workspace to resume it, or send from another line.`,
    { details: { field: "phoneNumberId", retryable: false } },
  );

type Holder<T> = { workspaceId: WorkspaceId; mode: Mode; lines: readonly T[] };

/**
 * Returns the line that a call asks for, or the only active one. Throws like `choosePhoneNumber`; if the id is that
 * of a line of the same workspace that the key cannot see, the error says why.
 */
export async function findRequestedLine<T extends { id: string; label: string; isActive: boolean }>(
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
  // Connected after the key was read: the next call will see it.
  return line.mode === keyMode ? undefined : { reason: "otherMode", mode: line.mode };
};
