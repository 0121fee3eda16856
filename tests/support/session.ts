import { encode } from "next-auth/jwt";
import { testServers } from "./environment";
import { freshAddress } from "./limits";
import { sql } from "./rows";
import { type Answer, request, type Sign } from "./workspace";

/** What one of next-auth's routes answers a browser with these cookies: without a token nothing is posted. */
export const postToAuth = async (
  route: string,
  fields: Record<string, string>,
  { address = freshAddress(), baseUrl = testServers().baseUrl, cookie, headers }: AuthOptions = {},
): Promise<Answer> => {
  const csrf = await request("GET", `${baseUrl}/api/auth/csrf`);
  if (csrf.status !== 200) return csrf;
  const { csrfToken }: { csrfToken: string } = JSON.parse(csrf.text);
  const cookies = [cookiesOf(csrf.headers), cookie].filter(Boolean).join("; ");
  return request("POST", `${baseUrl}/api/auth/${route}`, {
    headers: { cookie: cookies, "x-forwarded-for": address, ...headers },
    body: new URLSearchParams({ csrfToken, json: "true", ...fields }),
  });
};

type AuthOptions = { address?: string; baseUrl?: string; cookie?: string; headers?: Record<string, string> };

/** The same to an e-mail and a password, asked as our sign-in form asks. */
export const submitSignIn = (
  { email, password }: Sign,
  { callbackUrl, ...options }: AuthOptions & { callbackUrl?: string } = {},
): Promise<Answer> => {
  const fields = {
    email,
    password,
    callbackUrl: callbackUrl ?? `${options.baseUrl ?? testServers().baseUrl}/dashboard`,
  };
  return postToAuth("callback/credentials", fields, options);
};

/** As if so many sign-ins had failed from an address: each that is checked costs a tenth of a second of CPU. */
export async function failedSignInsFrom(address: string, count: number): Promise<void> {
  const email = `nobody-${crypto.randomUUID()}@example.test`;
  await submitSignIn({ email, password: "not it" }, { address });
  const id = `sign-in:ip:${address}`;
  const changed = await sql`update rate_windows set used = ${count} where id = ${id}`;
  if (changed.count !== 1) throw new Error("no attempt of this address was counted");
}

/** The Cookie header of a person who has signed in with their password, as the form does it. */
export const signInByForm = async (sign: Sign): Promise<string> => {
  const answer = await submitSignIn(sign);
  const cookie = cookiesOf(answer.headers);
  if (answer.status !== 200 || !cookie.includes(SESSION_COOKIE)) {
    throw new Error(`${sign.email} could not sign in: ${answer.status} ${answer.text}`);
  }
  return cookie;
};

/**
 * The Cookie header of a new session, which began `minutesAgo`. The form has tests of its own: checking a password costs
 * a tenth of a second of CPU on purpose, and hundreds of tests need no more than a session.
 */
export const signIn = async ({ email }: Pick<Sign, "email">, { minutesAgo = 0 } = {}): Promise<string> => {
  const sessionId = `ses_${crypto.randomUUID().replaceAll("-", "")}`;
  const begun = await sql`
      insert into sessions (id, user_id, signed_in_at, expires_at, device, masked_address)
      select ${sessionId}, id, now() - make_interval(mins => ${minutesAgo}),
        now() + make_interval(mins => ${LASTS_MINUTES - minutesAgo}), 'Firefox on Linux', '203.0.113.x'
      from users where email = ${email}`;
  if (begun.count !== 1) throw new Error(`${email} has no account`);
  const secret = testServers().environment.NEXTAUTH_SECRET ?? "";
  return `${SESSION_COOKIE}=${await encode({ token: { sessionId }, secret, maxAge: 60 * LASTS_MINUTES })}`;
};

const LASTS_MINUTES = 8 * 60;

/** What the run's server answers a browser with this Cookie header at an address. */
export const readAt = (path: string, cookie = ""): Promise<Answer> =>
  request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie } });

/** The same in a new session of a person. */
export const readAs = async (person: Pick<Sign, "email">, path: string): Promise<Answer> =>
  readAt(path, await signIn(person));

/** The ids of a person's sessions, the oldest first. */
export const sessionIdsOf = async ({ email }: Pick<Sign, "email">): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
      select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email} order by s.signed_in_at, s.id`;
  return rows.map(({ id }) => id);
};

/** Ends every session of a person, behind the server's back. */
export const endSessionsOf = ({ email }: Pick<Sign, "email">) =>
  sql`delete from sessions where user_id = (select id from users where email = ${email})`;

export const SESSION_COOKIE = "next-auth.session-token";

/** What a browser would send back of the cookies that an answer sets. */
export const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
