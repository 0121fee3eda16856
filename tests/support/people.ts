import { z } from "zod";
import { callAction, saidByAction } from "./actions";
import { freshAddress } from "./limits";
import type { RawAnswer } from "./raw-http";
import { sql } from "./rows";
import { SESSION_COOKIE, signIn } from "./session";
import type { Sign, TestWorkspace } from "./workspace";

/** What an action came to: its status, its words, where it leads, and the session that it began. */
export type Outcome = {
  status: number;
  said: ReturnType<typeof saidByAction>;
  goesTo: string | undefined;
  cookie: string | undefined;
};

type Fields = Record<string, string | readonly string[]>;
type Call = { fields?: Fields; as?: Sign; cookie?: string; path: string; address?: string };

/** An action by a person (`as`), under a session, or by a stranger. */
export const act = async (action: string, { fields = {}, as, cookie, path, address }: Call): Promise<Outcome> => {
  const session = as ? await signIn(as) : cookie;
  const answer = await callAction(action, {
    fields,
    path,
    headers: { "x-forwarded-for": address ?? freshAddress(), ...(session ? { cookie: session } : {}) },
  });
  return outcomeOf(answer);
};

const outcomeOf = ({ status, headers, text }: RawAnswer): Outcome => ({
  status,
  said: saidByAction(text),
  goesTo: headers.get("x-action-redirect")?.split(";")[0],
  cookie: headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .find((cookie) => cookie?.startsWith(`${SESSION_COOKIE}=`)),
});

const MEMBERS = "/dashboard/settings/members";

/** A member's action on the workspace's people. */
export const actOnMembers = (
  { workspaceId, ...people }: TestWorkspace,
  name: "createResetLink" | "invite" | "revoke" | "setRole" | "remove" | "leave",
  { fields = {}, as = "owner" }: { fields?: Record<string, string>; as?: "owner" | "admin" | "member" | Sign } = {},
): Promise<Outcome> =>
  act(`app${MEMBERS}/actions.ts#${name}`, {
    fields: { workspaceId, ...fields },
    path: MEMBERS,
    as: typeof as === "string" ? people[as] : as,
  });

const Link = z.object({ ok: z.literal(true), value: z.object({ link: z.string() }) });

/** The token of a new invitation into the workspace, which its owner has made. */
export const invitationInto = async (
  workspace: TestWorkspace,
  fields: Record<string, string> = {},
): Promise<string> => {
  const { said } = await actOnMembers(workspace, "invite", {
    fields: { role: "member", email: "", days: "7", ...fields },
  });
  return Link.parse(said).value.link.replace(/.*\/invite\//, "");
};

export const userIdOf = async ({ email }: Sign): Promise<string> => {
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`;
  if (!user) throw new Error("no user");
  return user.id;
};

/** The role of each person in a workspace, by e-mail. */
export const rolesIn = async ({ workspaceId }: { workspaceId: string }): Promise<Record<string, string>> => {
  const rows = await sql<{ email: string; role: string }[]>`
      select u.email, m.role::text from members m join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId}`;
  return Object.fromEntries(rows.map(({ email, role }) => [email, role]));
};

/** What people did in a workspace, as its audit log words it. */
export const deedsIn = async (workspaceId: string): Promise<[string, string][]> => {
  const rows = await sql<{ action: string; target_id: string }[]>`
      select action, target_id from audit_log where workspace_id = ${workspaceId} and actor_kind = 'user'
      order by at, id`;
  return rows.map(({ action, target_id }) => [action, target_id]);
};
