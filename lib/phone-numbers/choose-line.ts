import { AppError, refusedByKeyLimits, WHO_LIMITS_KEYS } from "@/lib/core/app-error";
import type { KeyLimits, Mode, WorkspaceId } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";
import { findLine, type LineWithNotices } from "./queries";

type Candidate = { id: string; label: string; isActive: boolean };
type Holder<T> = { workspaceId: WorkspaceId; mode: Mode; limits: KeyLimits; lines: readonly T[] };

/**
 * Returns the line to send from: the requested one, else the only active one. Throws PHONE_NUMBER_NOT_FOUND,
 * PHONE_NUMBER_INACTIVE, NO_PHONE_NUMBER or PHONE_NUMBER_REQUIRED (400), or FORBIDDEN for a line outside the key's limits;
 * for a line of the same workspace that the key cannot see, the error says why.
 */
export async function findRequestedLine<T extends Candidate>(
  { workspaceId, mode, limits, lines }: Holder<T>,
  requestedId: string | undefined,
): Promise<T> {
  if (requestedId === undefined) return onlyActive(lines, limits);
  const requested = lines.find(({ id }) => id === requestedId);
  if (requested?.isActive) return requested;
  if (requested) throw inactive(requested);
  const absent = await findLine(workspaceId, requestedId);
  if (absent?.mode === mode && !absent.disconnectedAt && !(limits.phoneNumberIds?.includes(absent.id) ?? true)) {
    throw notAllowed(lines, absent);
  }
  throw notFound(lines, requestedId, whyAbsent(absent, mode));
}

function onlyActive<T extends Candidate>(lines: readonly T[], { phoneNumberIds }: KeyLimits): T {
  const [only, ...others] = lines.filter(({ isActive }) => isActive);
  if (!only && phoneNumberIds) {
    const fault = "None of the lines that this key may use is connected and active.";
    throw new AppError("NO_PHONE_NUMBER", `${fault} ${WHO_LIMITS_KEYS}`, {
      details: { reason: "line", retryable: false },
    });
  }
  if (!only) {
    throw new AppError(
      "NO_PHONE_NUMBER",
      "No active line is connected for this key's mode. An owner or admin of the workspace can connect or resume one; a pk_test_ key needs a test line only.",
      { details: { retryable: false } },
    );
  }
  if (others.length > 0) throw phoneNumberRequired([only, ...others], phoneNumberIds ? "This key may use" : undefined);
  return only;
}

/** The 400 for a call that must name one of several active lines. */
export function phoneNumberRequired(
  active: readonly [Candidate, ...Candidate[]],
  whose = "This workspace has",
): AppError {
  const [{ id, label }] = active;
  return new AppError(
    "PHONE_NUMBER_REQUIRED",
    `${whose} ${active.length} active lines. Add \`phoneNumberId\` (the id after /dashboard/phone-numbers/), for example "${id}" for ${label}.`,
    {
      details: {
        field: "phoneNumberId",
        retryable: false,
        phoneNumbers: active.map((line) => ({ id: line.id, label: line.label })),
      },
    },
  );
}

function notAllowed(lines: readonly Candidate[], { id, label }: Candidate): AppError {
  const example = lines.find(({ isActive }) => isActive);
  const fix = example ? ` Send from one of its own, for example "${example.id}".` : "";
  return refusedByKeyLimits("line", `This key may not use line "${label}" (${id}).${fix}`, { field: "phoneNumberId" });
}

/** The 400 for an id that is not among the key's lines; without `why` it may belong to another workspace. */
function notFound(lines: readonly Candidate[], requestedId: string, why: string | undefined): AppError {
  const example = lines.find(({ isActive }) => isActive)?.id;
  const words = why ? `${why}${example ? `, for example "${example}"` : ""}.` : unknownLine(requestedId, example);
  return new AppError("PHONE_NUMBER_NOT_FOUND", `\`phoneNumberId\` "${shorten(requestedId, 80)}" ${words}`, {
    details: { field: "phoneNumberId", retryable: false },
  });
}

/** Why a key cannot see a line of its workspace. */
function whyAbsent(line: LineWithNotices | undefined, keyMode: Mode): string | undefined {
  if (line?.disconnectedAt) return "is a line that was disconnected from this workspace. Use another line";
  // Connected after the key was read: the next call will see it.
  if (!line || line.mode === keyMode) return undefined;
  return `is a ${line.mode} line, and this is a ${keyMode} key. Use a key that begins with pk_${line.mode}_, or send from a ${keyMode} line`;
}

function unknownLine(requestedId: string, example: string | undefined): string {
  const hint = /^\d+$/.test(requestedId) ? " It looks like WhatsApp's numeric id, which does not work here." : "";
  const fix = example ? ` Use our id, for example "${example}".` : " Use the id after /dashboard/phone-numbers/.";
  return `is not a line of this workspace and key mode.${hint}${fix}`;
}

const inactive = ({ id, label }: Candidate) =>
  new AppError(
    "PHONE_NUMBER_INACTIVE",
    `Line "${label}" (${id}) is paused. Ask an owner or admin of the workspace to resume it, or send from another line.`,
    { details: { field: "phoneNumberId", retryable: false } },
  );
