import { encode } from "next-auth/jwt";
import { testServers } from "./environment";
import { freshAddress } from "./limits";
import { onRows } from "./rows";
import { type Answer, request, type Sign } from "./workspace";

/** What next-auth answers to an e-mail and a password, asked as its own sign-in form asks. */
export const submitSignIn = async (
  { email, password }: Sign,
  { address = freshAddress(), baseUrl = testServers().baseUrl, callbackUrl }: SignInOptions = {},
): Promise<Answer> => {
  const csrf = await fetch(`${baseUrl}/api/auth/csrf`);
  const { csrfToken }: { csrfToken: string } = await csrf.json();
  return request("POST", `${baseUrl}/api/auth/callback/credentials`, {
    headers: { cookie: cookiesOf(csrf.headers), "x-forwarded-for": address },
    body: new URLSearchParams({
      csrfToken,
      email,
      password,
      json: "true",
      callbackUrl: callbackUrl ?? `${baseUrl}/dashboard`,
    }),
  });
};

type SignInOptions = { address?: string; baseUrl?: string; callbackUrl?: string };

/** The Cookie header of a signed-in person. */
export const signIn = async (sign: Sign): Promise<string> => {
  const answer = await submitSignIn(sign);
  const cookie = cookiesOf(answer.headers);
  if (answer.status !== 200 || !cookie.includes(SESSION_COOKIE)) {
    throw new Error(`${sign.email} could not sign in: ${answer.status} ${answer.text}`);
  }
  return cookie;
};

/** The cookie of a session that began so long ago, as it was given then. */
export const sessionFrom = async ({ email }: Pick<Sign, "email">, minutesAgo: number): Promise<string> => {
  const [account] = await onRows(
    (sql) => sql<{ userId: string; sessionVersion: number }[]>`
      select id as "userId", session_version as "sessionVersion" from users where email = ${email}`,
  );
  const signedInAt = Math.floor(Date.now() / 1_000) - minutesAgo * 60;
  const secret = testServers().environment.NEXTAUTH_SECRET ?? "";
  return `${SESSION_COOKIE}=${await encode({ token: { ...account, signedInAt }, secret, maxAge: 60 })}`;
};

export const SESSION_COOKIE = "next-auth.session-token";

const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
