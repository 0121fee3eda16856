import { Chip } from "@/app/_components/chip";
import { DataTable } from "@/app/_components/data-table";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { listSessions } from "@/lib/sessions/queries";
import { EndSession, SignOutEverywhere } from "./account-forms";

/** Where the account is signed in, this browser first. */
export async function Sessions({ member: { userId, sessionId, workspace } }: { member: Member }) {
  const sessions = await listSessions(userId);
  const [here, others] = [sessions.filter(({ id }) => id === sessionId), sessions.filter(({ id }) => id !== sessionId)];
  return (
    <section className="mt-8 grid gap-3">
      <h2 className="text-lg font-semibold">Sessions</h2>
      <p className="text-muted">
        Browsers that are signed in to this account. A session ends 8 hours after signing in. If you do not recognize
        one, sign it out and change your password.
      </p>
      <DataTable
        caption={`Open sessions, times in ${workspace.timeZone}`}
        rows={[...here, ...others]}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: "Browser",
            cell: ({ id, device }) => (
              <span className="flex flex-wrap items-center gap-2">
                {device}
                {id === sessionId ? <Chip tone="good" icon="check" word="This session" /> : null}
              </span>
            ),
          },
          { heading: "IP address", cell: ({ maskedAddress }) => maskedAddress },
          {
            heading: "Signed in",
            cell: ({ signedInAt }) => <Timestamp at={signedInAt} timeZone={workspace.timeZone} />,
          },
          { heading: "Actions", cell: ({ id, device }) => <EndSession sessionId={id} device={device} /> },
        ]}
      />
      <div className="flex flex-wrap gap-3">
        {others.length > 0 ? <SignOutEverywhere sessions="others" /> : null}
        <SignOutEverywhere sessions="all" />
      </div>
    </section>
  );
}
