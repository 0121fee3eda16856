import { forbidden } from "@/lib/core/app-error";
import { type Mode, monthlyLimit, type Principal } from "@/lib/core/principal";
import { apiServe } from "@/lib/http/api-route";
import type { Answer, Call, Serve } from "@/lib/http/call";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { recordAction } from "@/lib/sessions/record-action";
import type { Action } from "@/lib/workspaces/roles";
import { type Member, memberOf } from "./member";
import { isFromOwnPage } from "./own-origin";

type MemberCall = Call & { requestId: string; member: Member; search: URLSearchParams };

/** A route that pages read, for a member of the workspace in its path who may do `action`. Throws like `memberOf`. */
export function memberRoute(answer: (call: MemberCall) => Promise<Answer | Response>, action?: Action): Serve {
  return apiServe({
    GET: async (call) => {
      const member = await memberOf(call.headers.get("cookie"), call.params.workspaceId ?? "", action);
      return answer({ ...call, member, search: call.url.searchParams });
    },
  });
}

/** Returns the member behind a POST from our pages. Throws like `memberOf`, and FORBIDDEN for other origins. */
export async function memberFromOwnPage({ headers, params }: Call, action: Action): Promise<Member> {
  if (!isFromOwnPage(headers)) throw forbidden("This is asked by a page of this site only.");
  const member = await memberOf(headers.get("cookie"), params.workspaceId ?? "", action);
  await recordAction(member);
  return member;
}

/** Returns the principal for a member's send: the plan and lines of the mode, without an API key. */
export async function principalOf({ workspaceId, workspace }: Member, mode: Mode): Promise<Principal> {
  return {
    workspaceId,
    mode,
    apiKeyId: null,
    monthlyLimit: monthlyLimit(workspace.plan, workspace.messageLimit),
    limits: {},
    lines: (await listSendingLines(workspaceId, mode)).map((line) => ({
      ...line,
      hasTokenProblem: line.tokenProblem !== null,
    })),
  };
}
