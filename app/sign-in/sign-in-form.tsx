"use client";

import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field, Refusal } from "@/app/_components/form";

type Provider = "google" | "github";

type Props = {
  destination: string;
  providers: Provider[];
  refusal: string | undefined;
  /** The password was right, and the code of the second factor is due. */
  asksForCode: boolean;
};

/** The form posts even before the script is ready, so that a password never ends up in an address. */
export function SignInForm({ destination, providers, refusal, asksForCode }: Props) {
  const [failure, setFailure] = useState(refusal);
  const [isBusy, setIsBusy] = useState(false);
  const secret = useRef<HTMLInputElement>(null);

  const attempt = async (provider: Provider | "credentials", fields: Record<string, string> = {}) => {
    setIsBusy(true);
    setFailure(undefined);
    const outcome = await signInWith(provider, { ...fields, callbackUrl: destination });
    if ("goTo" in outcome) return location.assign(outcome.goTo);
    setIsBusy(false);
    setFailure(outcome.failure);
    secret.current?.select();
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const form = new FormData(event.currentTarget);
    void attempt(
      "credentials",
      Object.fromEntries(
        ["email", "password", "code"].flatMap((name) => {
          const value = form.get(name);
          return typeof value === "string" ? [[name, value]] : [];
        }),
      ),
    );
  };

  return (
    <>
      <div role="alert" id="sign-in-failure" className="mt-4 empty:hidden">
        {failure ? <Refusal>{failure}</Refusal> : null}
      </div>
      <noscript>
        <p className="mt-4 text-muted">Signing in needs JavaScript. The pages behind it can be read without.</p>
      </noscript>
      <form method="post" action="/api/auth/callback/credentials" onSubmit={submit} className="mt-5 grid gap-4">
        {asksForCode ? (
          <Field
            ref={secret}
            label="Code"
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
            hint="The six digits of your authenticator app, or a recovery code."
            aria-describedby={failure ? "sign-in-failure" : undefined}
          />
        ) : (
          <>
            <Field
              label="E-mail"
              name="email"
              type="email"
              autoComplete="username"
              required
              aria-describedby={failure ? "sign-in-failure" : undefined}
            />
            <Field
              ref={secret}
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
              aria-describedby={failure ? "sign-in-failure" : undefined}
            />
          </>
        )}
        <Button type="submit" aria-disabled={isBusy} className="mt-1 w-full">
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
      {providers.length > 0 ? (
        <div className="mt-6 grid gap-3 border-t border-hairline pt-6">
          {providers.map((provider) => (
            <Button key={provider} look="secondary" onClick={() => attempt(provider)}>
              Continue with {PROVIDER_NAMES[provider]}
            </Button>
          ))}
        </div>
      ) : null}
    </>
  );
}

const PROVIDER_NAMES: Record<Provider, string> = { google: "Google", github: "GitHub" };

type Outcome = { goTo: string } | { failure: string };

const REFUSED = 401;
const BLOCKED = 429;
const UNREACHABLE = "Signing in is not possible right now, and your password was not checked. Try again in a moment.";
const COOKIES_NEEDED = "Your browser did not store this site’s cookie. Allow cookies for it and try again.";

/** Signs in through next-auth's own routes; `callbackUrl` is a path of this host. */
async function signInWith(
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
    const answer: { url?: string; message?: string; details?: { field?: string } } = await response.json();
    if ([REFUSED, BLOCKED].includes(response.status) && answer.message) return { failure: answer.message };
    if (answer.details?.field === "csrfToken") return { failure: COOKIES_NEEDED };
    if (!response.ok) return { failure: UNREACHABLE };
    return { goTo: answer.url ?? fields.callbackUrl };
  } catch {
    return { failure: UNREACHABLE };
  }
}

async function fetchCsrfToken(): Promise<string> {
  const response = await fetch("/api/auth/csrf");
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { csrfToken }: { csrfToken: string } = await response.json();
  return csrfToken;
}
