type Outcome = { goTo: string } | { failure: string };

const REFUSED = 401;
const BLOCKED = 429;
const UNREACHABLE = "Signing in is not possible right now, and your password was not checked. Try again in a moment.";
const COOKIES_NEEDED = "Your browser kept no cookie of this site. Allow cookies for it and try again.";

/** Signs in through next-auth's own routes; `callbackUrl` is a path of this host. */
export async function signInWith(
  provider: string,
  fields: { callbackUrl: string } & Record<string, string>,
): Promise<Outcome> {
  try {
    const csrfToken = await fetchCsrfToken();
    const route = provider === "credentials" ? "callback" : "signin";
    const response = await fetch(`/api/auth/${route}/${provider}`, {
      method: "POST",
      body: new URLSearchParams({ ...fields, csrfToken, json: "true" }),
    });
    const answer: { url?: string; message?: string } = await response.json();
    if (response.status === REFUSED) return { failure: "This e-mail and password do not match an account." };
    if (response.status === BLOCKED && answer.message) return { failure: answer.message };
    if (!response.ok) return { failure: UNREACHABLE };
    if (answer.url?.endsWith("csrf=true")) return { failure: COOKIES_NEEDED };
    return { goTo: provider === "credentials" ? fields.callbackUrl : (answer.url ?? fields.callbackUrl) };
  } catch {
    return { failure: UNREACHABLE };
  }
}

const fetchCsrfToken = async (): Promise<string> => {
  const response = await fetch("/api/auth/csrf");
  const { csrfToken }: { csrfToken: string } = await response.json();
  return csrfToken;
};
