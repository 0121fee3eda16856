"use client";

import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { signInWith } from "./sign-in-with";

type Provider = "google" | "github";

type Props = { destination: string; providers: Provider[]; refusal: string | undefined };

/** The form posts even before the script is ready, so that a password never ends up in an address. */
export function SignInForm({ destination, providers, refusal }: Props) {
  const [failure, setFailure] = useState(refusal);
  const [isBusy, setIsBusy] = useState(false);
  const password = useRef<HTMLInputElement>(null);

  const attempt = async (provider: Provider | "credentials", fields: Record<string, string> = {}) => {
    setIsBusy(true);
    setFailure(undefined);
    const outcome = await signInWith(provider, { ...fields, callbackUrl: destination });
    if ("goTo" in outcome) return location.assign(outcome.goTo);
    setIsBusy(false);
    setFailure(outcome.failure);
    password.current?.select();
  };

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const form = new FormData(event.currentTarget);
    void attempt("credentials", { email: String(form.get("email")), password: String(form.get("password")) });
  };

  return (
    <>
      <div role="alert" id="sign-in-failure">
        {failure ? (
          <p className="mt-4 flex gap-2 rounded-control bg-bad-fill px-3 py-2 text-bad">
            <Icon name="alert" className="mt-[3px]" />
            {failure}
          </p>
        ) : null}
      </div>
      <noscript>
        <p className="mt-4 text-muted">Signing in needs JavaScript; everything behind it reads without.</p>
      </noscript>
      <form method="post" action="/api/auth/callback/credentials" onSubmit={submit} className="mt-5 grid gap-4">
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          aria-describedby={failure ? "sign-in-failure" : undefined}
        />
        <Field
          ref={password}
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          aria-describedby={failure ? "sign-in-failure" : undefined}
        />
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
