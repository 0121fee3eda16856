import type { Mode } from "@/db/schema";
import { env } from "@/lib/core/env";
import type { UrlRules } from "./endpoint-url";

/** The rules of this deployment for the endpoints of a mode. */
export function urlRules(mode: Mode): UrlRules {
  const { APP_URL: origin, WEBHOOK_ALLOW: allowed } = env();
  return { mode, origin, allowed };
}
