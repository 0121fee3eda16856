import { z } from "zod";
import type { Mode, Role } from "@/db/schema/identity";
import { messageStatus, messageType } from "@/db/schema/messages";
import type { WorkspaceId } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";

/** The log that is read, and its filters. */
export type LogView = { workspaceId: WorkspaceId; role: Role; mode: Mode; timeZone: string; filters: MessageFilters };

type Viewer = { workspaceId: WorkspaceId; role: Role; workspace: { timeZone: string } };

export function logView(
  { workspaceId, role, workspace: { timeZone } }: Viewer,
  { mode, given }: { mode: Mode; given: Record<string, unknown> },
): LogView {
  return { workspaceId, role, mode, timeZone, filters: readMessageFilters(given, role) };
}

/** The same from a URL's query that includes the mode. */
export function readLogView(viewer: Viewer, address: URLSearchParams): LogView {
  return logView(viewer, {
    mode: address.get("mode") === "live" ? "live" : "test",
    given: Object.fromEntries(address),
  });
}

/** Filters of a list of messages. Days are in the workspace's time zone, both inclusive. */
type MessageFilters = Readonly<z.infer<typeof Filters>>;

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readMessageFilters(given: Record<string, unknown>, role: Role): MessageFilters {
  const filters = Filters.parse(given);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

export function isFiltered(filters: MessageFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

const word = (pattern: RegExp) => z.string().regex(pattern).optional().catch(undefined);
const typed = word(/^[^\0]{1,300}$/).transform((text) => text?.trim().toWellFormed() || undefined);
// From the year 2000 on: Postgres rejects some dates that occur while a year is being typed.
const day = z.iso.date().regex(/^2/).optional().catch(undefined);

const Filters = z.object({
  /** Any id, an idempotency key or a phone. */
  q: typed,
  status: z.enum(messageStatus.enumValues).optional().catch(undefined),
  type: z.enum(messageType.enumValues).optional().catch(undefined),
  line: word(/^pn_[0-9a-z]{1,40}$/),
  template: word(/^[\w.-]{1,512}$/),
  key: word(/^key_[0-9a-z]{1,40}$/),
  /** A phone in any format. */
  recipient: typed,
  /** WhatsApp's code of a failure. */
  code: word(/^[1-9]\d{0,8}$/),
  from: day,
  to: day,
});
