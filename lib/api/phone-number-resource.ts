import type { ShownLine } from "@/lib/phone-numbers/queries";

/** Returns a line for a signed-in member; `id` is the `phoneNumberId` of a send. */
export function toPhoneNumberResource(line: ShownLine) {
  return {
    id: line.id,
    label: line.label,
    mode: line.mode,
    displayPhoneNumber: line.displayPhoneNumber,
    verifiedName: line.verifiedName,
    isActive: line.isActive,
    isDefault: line.isDefault,
    qualityRating: line.qualityRating,
    whatsappPhoneNumberId: line.whatsappPhoneNumberId,
    whatsappBusinessAccountId: line.whatsappBusinessAccountId,
    createdAt: line.createdAt.toISOString(),
  };
}
