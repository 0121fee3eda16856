import type { Role } from "@/db/schema/identity";
import { can } from "@/lib/workspaces/roles";

export const API_KEYS_PATH = "/dashboard/settings/api-keys";
export const WEBHOOKS_PATH = "/dashboard/settings/webhooks";
export const AUDIT_LOG_PATH = "/dashboard/settings/audit-log";

/** The addresses that are not in the menu of `role`, because they are not there for it at all. */
export function absentFor(role: Role): string[] {
  return [
    ...(can(role, "seeApiKeys") ? [] : [API_KEYS_PATH]),
    ...(can(role, "manageWebhooks") ? [] : [WEBHOOKS_PATH]),
    ...(can(role, "seeAuditLog") ? [] : [AUDIT_LOG_PATH]),
  ];
}
