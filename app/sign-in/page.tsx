import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { signOut } from "@/app/dashboard/actions";
import { findCodeDue } from "@/lib/auth/change-second-factor";
import { mayCreateWorkspace } from "@/lib/auth/member";
import { configuredProviderIds } from "@/lib/auth/options";
import { callbackPath } from "@/lib/auth/own-origin";
import { currentUser, isSignedIn } from "@/lib/auth/page-member";
import { readSessionId } from "@/lib/auth/session-token";
import { hasAnyUser } from "@/lib/auth/user-queries";
import { env } from "@/lib/core/env";
import { sendsMail } from "@/lib/mail/queue-mail";
import { SignInForm } from "./sign-in-form";

export const metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: PageProps<"/sign-in">) {
  const { callbackUrl, error } = await searchParams;
  const destination = callbackPath(single(callbackUrl), env().APP_URL);
  if (await isSignedIn()) redirect(destination);
  if (!(await hasAnyUser())) redirect("/set-up");
  const refusal = single(error);
  const sessionId = await readSessionId((await headers()).get("cookie"));
  const asksForCode = (await findCodeDue(sessionId)) !== undefined;
  // A cookie that is still valid, of a session that is not: signing out would have removed it.
  const wasEnded = !asksForCode && !(await currentUser()) && sessionId !== undefined;
  const mayMakeOne = refusal === "NoWorkspace" && (await mayCreateWorkspace(await currentUser()));
  return (
    <Entrance
      title={asksForCode ? "Second factor" : "Sign in"}
      below={
        asksForCode ? (
          <LostDevice />
        ) : (
          <>
            {env().ALLOW_SIGN_UP ? (
              <p className="mb-2">
                New here? <TextLink href="/sign-up">Create an account</TextLink>
              </p>
            ) : null}
            <p className="mb-2">
              Forgot your password?{" "}
              {sendsMail() ? (
                <TextLink href="/forgot-password">Reset it by e-mail</TextLink>
              ) : (
                "Ask an owner of your workspace for a reset link. An owner can ask the operator of this server."
              )}
            </p>
            <p>
              Building an integration? <TextLink href="/docs">Read the docs</TextLink>
            </p>
          </>
        )
      }
    >
      {wasEnded ? (
        <Notice className="mt-4">
          You were signed out: your role or password was changed, or your second factor, or you left a workspace, or
          this session was not used for 8 hours or was ended elsewhere. Sign in again to continue.
        </Notice>
      ) : null}
      {mayMakeOne ? (
        <p className="mt-4">
          You are signed in, but in no workspace. <TextLink href="/workspaces/new">Create a workspace</TextLink>
        </p>
      ) : null}
      <SignInForm
        destination={destination}
        providers={asksForCode ? [] : configuredProviderIds()}
        asksForCode={asksForCode}
        refusal={mayMakeOne ? undefined : refusal && (REFUSALS[refusal] ?? OTHER_REFUSAL)}
      />
    </Entrance>
  );
}

function LostDevice() {
  return (
    <form action={signOut}>
      Lost your device? Use a recovery code. Without one, an owner of your workspace can remove the second factor, or
      the operator of this server.{" "}
      <button type="submit" className="min-h-6 text-link underline underline-offset-2">
        Start again
      </button>
    </form>
  );
}

const REFUSALS: Record<string, string> = {
  AccessDenied:
    "No account here can be opened with that address. If yours has a password, sign in with it; otherwise ask a workspace owner to add you.",
  NoWorkspace: "Your account belongs to no workspace. Ask an owner of one to add you.",
};

const OTHER_REFUSAL = "Signing in did not work. Try again, or use another way to sign in.";

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
