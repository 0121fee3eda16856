import type { Mode, Role } from "@/db/schema/identity";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type MessageFilters, readMessageFilters } from "./filters";

/** Whose log is read, and how it is narrowed. */
export type LogView = { workspaceId: WorkspaceId; role: Role; mode: Mode; timeZone: string; filters: MessageFilters };

type Viewer = { workspaceId: WorkspaceId; role: Role; workspace: { timeZone: string } };

export function logView(
  { workspaceId, role, workspace: { timeZone } }: Viewer,
  { mode, given }: { mode: Mode; given: Record<string, unknown> },
): LogView {
  return { workspaceId, role, mode, timeZone, filters: readMessageFilters(given, role) };
}

/** The same from an address that names the mode, too. */
export function readLogView(viewer: Viewer, address: URLSearchParams): LogView {
  return logView(viewer, {
    mode: address.get("mode") === "live" ? "live" : "test",
    given: Object.fromEntries(address),
  });
}
