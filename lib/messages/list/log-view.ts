import { z } from "zod";
import type { Role } from "@/db/schema/identity";
import { messageStatus, messageType } from "@/db/schema/messages";
import { Day, matching, oneOf, Typed } from "@/lib/core/list-filters";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";

/** The log that is read, and its filters. */
export type LogView = { workspaceId: WorkspaceId; role: Role; mode: Mode; timeZone: string; filters: MessageFilters };

type Viewer = { workspaceId: WorkspaceId; role: Role; workspace: { timeZone: string } };

export function logView(
  { workspaceId, role, workspace: { timeZone } }: Viewer,
  { mode, query }: { mode: Mode; query: Record<string, unknown> },
): LogView {
  return { workspaceId, role, mode, timeZone, filters: readMessageFilters(query, role) };
}

/** The same from a URL's query that includes the mode. */
export function readLogView(viewer: Viewer, address: URLSearchParams): LogView {
  return logView(viewer, {
    mode: address.get("mode") === "live" ? "live" : "test",
    query: Object.fromEntries(address),
  });
}

/** Filters of a list of messages. Days are in the workspace's time zone, both inclusive. */
export type MessageFilters = Readonly<z.infer<typeof Filters>>;

/** Reads the filters that `role` may use from a URL's query; invalid values count as absent. */
export function readMessageFilters(query: Record<string, unknown>, role: Role): MessageFilters {
  const filters = Filters.parse(query);
  return can(role, "seeApiKeys") ? filters : { ...filters, key: undefined };
}

export function isFiltered(filters: MessageFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

const Filters = z.object({
  /** Any id, an idempotency key, or a recipient's name or number or a part of it. */
  q: Typed,
  status: oneOf(messageStatus.enumValues),
  type: oneOf(messageType.enumValues),
  line: matching(/^pn_[0-9a-z]{1,40}$/),
  template: matching(/^[\w.-]{1,512}$/),
  key: matching(/^key_[0-9a-z]{1,40}$/),
  /** A phone in any format. */
  recipient: Typed,
  /** WhatsApp's code of a failure. */
  code: matching(/^[1-9]\d{0,8}$/),
  from: Day,
  to: Day,
});
