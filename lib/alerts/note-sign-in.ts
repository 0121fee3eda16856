import { inTransaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { queued } from "@/lib/core/due-work";
import { newId } from "@/lib/core/new-id";
import { deviceName, maskedAddress, type Visitor } from "@/lib/sessions/device";
import { type Announced, announce } from "./announce";

/**
 * Alerts a user to a sign-in from a browser that has not signed in to the account before; not to the first sign-in of all. It
 * is stored in the workspace that they joined first, and shown to them alone, in all.
 */
export async function noteNewDevice({ userId, visitor }: { userId: string; visitor: Visitor }): Promise<void> {
  const device = deviceName(visitor.userAgent);
  const sentence = `New sign-in to your account: ${device}, ${maskedAddress(visitor.address)}. If that was not you, sign it out and change your password.`;
  const count = await inTransaction(async (tx) => {
    const sql = rawSql(tx);
    const announced = await sql<Announced[]>`
      insert into alerts (workspace_id, id, kind, subject_id, level, tone, sentence, href, action, user_id)
      select workspace_id, ${newId("alr")}, 'sign_in.new_device', ${newId("ses")}, 0, 'caution', ${sentence},
        '/dashboard/account', 'See your sessions', user_id
      from members
      where user_id = ${userId} and exists (
        select from members seen where seen.user_id = ${userId} and seen.last_seen_at is not null)
      order by joined_at, workspace_id limit 1
      returning workspace_id as "workspaceId", id, 'opened' as event`;
    await announce(sql, announced);
    return announced.length;
  });
  if (count > 0) queued("mails");
}
