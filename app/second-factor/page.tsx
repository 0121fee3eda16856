import { redirect } from "next/navigation";
import encodeQR from "qr";
import { Entrance } from "@/app/_components/frame";
import { TextLink } from "@/app/_components/link";
import { signOut } from "@/app/dashboard/actions";
import { newSealedSecret } from "@/lib/auth/change-second-factor";
import { FRESH_SIGN_IN_MINUTES } from "@/lib/auth/credential-limits";
import { callbackPath } from "@/lib/auth/own-origin";
import { currentUser } from "@/lib/auth/page-member";
import { enrolmentAddress } from "@/lib/auth/second-factor";
import { findPasswordHash } from "@/lib/auth/user-queries";
import { env } from "@/lib/core/env";
import { SetUpForm } from "./set-up-form";

export const metadata = { title: "Second factor", referrer: "no-referrer", robots: { index: false } };

/** Outside the dashboard, which people whose workspace requires a second factor cannot open without one. */
export default async function SecondFactorPage({ searchParams }: PageProps<"/second-factor">) {
  const { callbackUrl } = await searchParams;
  const user = await currentUser();
  if (!user) redirect("/sign-in?callbackUrl=/second-factor");
  if (user.hasFactor) redirect("/dashboard/account");
  const { secret, sealed } = newSealedSecret(user.userId);
  const hasPassword = (await findPasswordHash(user.userId)) !== null;
  return (
    <Entrance
      title="Set up a second factor"
      below={
        user.factorRequiredBy === undefined ? (
          <TextLink href="/dashboard/account">Not now</TextLink>
        ) : (
          <form action={signOut}>
            Signed in as {user.email}.{" "}
            <button type="submit" className="min-h-6 text-link underline underline-offset-2">
              Sign out
            </button>
          </form>
        )
      }
    >
      <p className="mt-2 text-muted">
        {user.factorRequiredBy === undefined ? "" : `${user.factorRequiredBy} requires one. `}
        From then on you sign in with your password and a code of an authenticator app on your phone.
      </p>
      <SetUpForm
        secret={secret}
        sealed={sealed}
        next={callbackPath(callbackUrl?.toString(), env().APP_URL)}
        qrCode={qrCode(enrolmentAddress(secret, { email: user.email, appUrl: env().APP_URL }))}
        proof={hasPassword ? "password" : `Works within ${FRESH_SIGN_IN_MINUTES} minutes of signing in.`}
      />
    </Entrance>
  );
}

type QrCode = { size: number; path: string };

/** A path of its dark modules, within the empty border that scanners need. */
function qrCode(text: string): QrCode {
  const rows = encodeQR(text, "raw", { border: 4 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return { size: rows.length, path };
}
