import type { Metadata } from "next";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { AccountFields } from "@/app/_components/account-fields";
import { ButtonLink } from "@/app/_components/button";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { Timestamp } from "@/app/_components/timestamp";
import { signOut } from "@/app/dashboard/actions";
import { countedForm } from "@/lib/auth/attempts";
import type { SignedIn } from "@/lib/auth/member";
import { currentUser } from "@/lib/auth/page-member";
import { AppError } from "@/lib/core/app-error";
import { callerAddress } from "@/lib/http/request-headers";
import { type InvitationState, invitationState } from "@/lib/workspaces/invitations";
import { findInvitation } from "@/lib/workspaces/queries";
import { ROLE_MEANINGS, rolesWithinReach } from "@/lib/workspaces/roles";
import { join, joinAsNewUser } from "./actions";

// The address is the secret: it is sent to no other site and listed nowhere.
export const metadata: Metadata = { title: "Invitation", referrer: "no-referrer", robots: { index: false } };

export default async function InvitePage({ params }: PageProps<"/invite/[token]">) {
  const { token } = await params;
  const reading = await readInvitation(token);
  if ("blocked" in reading) return <Closed title="Too many attempts" text={reading.blocked} />;
  const { invitation } = reading;
  if (!invitation) notFound();
  const { workspaceId, workspaceName, inviterName, inviterRole, role, email, expiresAt, timeZone } = invitation;
  const user = await currentUser();
  if (user?.memberships.some((member) => member.workspaceId === workspaceId)) {
    return (
      <Entrance title={`You are in ${workspaceName}`}>
        <p className="mt-2 mb-5 text-muted">You are a member of this workspace already.</p>
        <ButtonLink href={`/dashboard?workspace=${workspaceId}`}>Open it</ButtonLink>
      </Entrance>
    );
  }
  const state = rolesWithinReach(inviterRole).includes(role) ? invitationState(invitation, new Date()) : "revoked";
  if (state !== "open") return <Closed {...CLOSED[state]} />;
  return (
    <Entrance title={`Join ${workspaceName}`}>
      <p className="mt-2">
        {inviterName} invites you as <strong className="font-semibold">{role}</strong>. {ROLE_MEANINGS[role]}
      </p>
      <p className="mt-1 text-muted">
        The link works once, until <Timestamp at={expiresAt} timeZone={timeZone} /> ({timeZone}).
      </p>
      <Ways token={token} workspaceName={workspaceName} email={email} user={user} />
    </Entrance>
  );
}

type WaysProps = { token: string; workspaceName: string; email: string | null; user: SignedIn | undefined };

/** A button to join, or a form for an account first. */
function Ways({ token, workspaceName, email, user }: WaysProps) {
  if (!user) {
    return (
      <>
        <ActionForm action={joinAsNewUser} fields={{ token }} className="mt-5 grid gap-4">
          <AccountFields email={email ?? undefined} />
          <SubmitButton className="mt-1 w-full" busy="Joining…">
            Create account and join
          </SubmitButton>
        </ActionForm>
        <p className="mt-5 border-t border-hairline pt-5 text-muted">
          Have an account?{" "}
          <TextLink href={`/sign-in?callbackUrl=${encodeURIComponent(`/invite/${token}`)}`}>
            Sign in, then join
          </TextLink>
        </p>
      </>
    );
  }
  const isForAnother = email !== null && email !== user.email;
  return (
    <>
      {isForAnother ? (
        <Notice className="mt-5" tone="caution">
          This invitation is for {email}, and you are signed in as {user.email}.
        </Notice>
      ) : (
        <ActionForm action={join} fields={{ token }} className="mt-5 grid gap-4">
          <SubmitButton className="w-full" busy="Joining…">
            Join {workspaceName}
          </SubmitButton>
        </ActionForm>
      )}
      <form action={signOut} className="mt-5 border-t border-hairline pt-5 text-muted">
        Signed in as {user.email}.{" "}
        <button type="submit" className="min-h-6 text-link underline underline-offset-2">
          Sign out
        </button>
      </form>
    </>
  );
}

function Closed({ title, text }: { title: string; text: string }) {
  return (
    <Entrance title={title}>
      <p className="mt-2 mb-5 text-muted">{text}</p>
      <ButtonLink href="/dashboard" look="secondary">
        Go to the dashboard
      </ButtonLink>
    </Entrance>
  );
}

const CLOSED: Record<Exclude<InvitationState, "open">, { title: string; text: string }> = {
  accepted: {
    title: "This invitation was used",
    text: "A link works once. Ask the person who invited you for a new one.",
  },
  expired: { title: "This invitation has expired", text: "Ask the person who invited you for a new link." },
  revoked: { title: "This invitation was revoked", text: "Ask an owner of the workspace if you expected it." },
};

type Reading = { invitation: Awaited<ReturnType<typeof findInvitation>> } | { blocked: string };

async function readInvitation(token: string): Promise<Reading> {
  try {
    return { invitation: await countedForm("invitation", callerAddress(await headers()), () => findInvitation(token)) };
  } catch (error) {
    if (error instanceof AppError && error.code === "RATE_LIMIT_EXCEEDED") return { blocked: error.message };
    throw error;
  }
}
