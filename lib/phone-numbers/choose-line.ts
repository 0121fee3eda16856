import type { Mode } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";

type Candidate = { id: string; label: string; isActive: boolean };

/**
 * The line that sends: the one asked for, else the only active one.
 * Throws PHONE_NUMBER_NOT_FOUND, PHONE_NUMBER_INACTIVE, NO_PHONE_NUMBER or PHONE_NUMBER_REQUIRED (400).
 */
export function choosePhoneNumber<T extends Candidate>(lines: readonly T[], requestedId: string | undefined): T {
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

/** The 400 of a call that must say which of the active lines sends. */
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

/** Why a line of the same workspace is not among those of the key. */
export type Absence = { reason: "otherMode"; mode: Mode } | { reason: "disconnected" };

/** The 400 for an id that is not among the key's lines; without an absence it may be that of another workspace. */
export function noSuchPhoneNumber(lines: readonly Candidate[], requestedId: string, absence?: Absence): AppError {
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
