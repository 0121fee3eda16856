import type { Mode } from "@/db/schema";
import type { WorkspaceId } from "./workspace-id";

/** Who sends: a workspace in one mode, with the lines that it may send from. */
export type Principal = {
  workspaceId: WorkspaceId;
  /** Null where a member sends from the dashboard. */
  apiKeyId: string | null;
  mode: Mode;
  /** Messages a calendar month; null is no limit. */
  monthlyLimit: number | null;
  lines: Line[];
};

/** A line as its sender sees it. `accessToken` is still encrypted. */
export type Line = {
  id: string;
  label: string;
  displayPhoneNumber: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
  isActive: boolean;
  isDefault: boolean;
  hasTokenProblem: boolean;
};
