import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { type Action, can, whoCan } from "@/lib/workspaces/roles";
import { type Member, memberOf } from "./member";
import { isFromOwnPage } from "./own-origin";

/** The member behind a POST that the script of one of our pages makes. Throws 401, 404 as `memberOf`, and FORBIDDEN. */
export async function memberFromOwnPage(request: Request, workspaceId: string, action: Action): Promise<Member> {
  if (!isFromOwnPage(request.headers, env().APP_URL)) {
    throw new AppError("FORBIDDEN", "This is asked by a page of this site only.", { details: { retryable: false } });
  }
  const member = await memberOf(request.headers.get("cookie"), workspaceId);
  if (!can(member.role, action)) throw new AppError("FORBIDDEN", whoCan(action), { details: { retryable: false } });
  return member;
}
