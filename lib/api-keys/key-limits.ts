import type { Message } from "@/db/schema";
import { type AppError, refusedByKeyLimits } from "@/lib/core/app-error";
import type { KeyLimits, Permission, Principal } from "@/lib/core/principal";
import { quote } from "@/lib/core/text";

/** Whether one operation of the API is among a key's permissions. One that has no permission needs a key with all. */
export function assertPermitted({ permissions }: KeyLimits, operation: string): void {
  if (!permissions || permissions.some((permission) => permission === operation)) return;
  const may = permissions.map((permission) => MAY[permission]).join(" and ");
  throw refusedByKeyLimits("permission", `This key may ${may} only.`);
}

const MAY: Record<Permission, string> = {
  send: "send messages",
  status: "read the status of messages",
  templates: "list templates",
};

/** The template of a send must be among those of the key, which then sends no other message. */
export function assertTemplateAllowed({ templateNames }: KeyLimits, templateName: string | undefined): void {
  if (!templateNames || (templateName !== undefined && templateNames.includes(templateName))) return;
  const fault =
    templateName === undefined
      ? "This key may send certain templates only, no text and no interactive message."
      : `This key may not send template ${quote(templateName)}.`;
  throw refusedByKeyLimits("template", `${fault} GET /api/v1/public/templates lists those that it may send.`, {
    field: templateName === undefined ? "type" : "templateName",
  });
}

/** The 403 for a call from an address outside the key's ranges, which it does not list: a thief would read them. */
export function fromElsewhere(ip: string): AppError {
  return refusedByKeyLimits("ip", "The address of this call (`details.ip`) is outside the IP ranges of this key.", {
    ip,
  });
}

/**
 * Whether a key may repeat the message of an idempotency key: its own always, which it may have sent before it was limited;
 * one of another key within its limits only.
 */
export function assertMayRepeat(
  { apiKeyId, limits }: Pick<Principal, "apiKeyId" | "limits">,
  message: Pick<Message, "apiKeyId" | "phoneNumberId" | "templateName">,
): void {
  if (message.apiKeyId === apiKeyId) return;
  if (limits.phoneNumberIds && !limits.phoneNumberIds.includes(message.phoneNumberId)) {
    const fault = "This idempotency key belongs to a message of a line that this key may not use.";
    throw refusedByKeyLimits("line", `${fault} Use another idempotency key.`, { field: "idempotencyKey" });
  }
  assertTemplateAllowed(limits, message.templateName ?? undefined);
}
