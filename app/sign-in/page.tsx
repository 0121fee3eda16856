import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Brand } from "@/app/_components/brand";
import { TextLink } from "@/app/_components/text-link";
import { callbackPath } from "@/lib/auth/callback-path";
import { configuredProviderIds } from "@/lib/auth/options";
import { isSignedIn } from "@/lib/auth/page-member";
import { env } from "@/lib/env";
import { SignInForm } from "./sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: PageProps<"/sign-in">) {
  const { callbackUrl, error } = await searchParams;
  const destination = callbackPath(single(callbackUrl), env().APP_URL);
  if (await isSignedIn()) redirect(destination);
  const refusal = single(error);
  return (
    <main id="main" className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-4 py-12">
      <div className="mb-8 flex justify-center">
        <Brand />
      </div>
      <div className="rounded-card border border-hairline p-6 sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight">Sign in</h1>
        <SignInForm
          destination={destination}
          providers={configuredProviderIds()}
          refusal={refusal && (REFUSALS[refusal] ?? OTHER_REFUSAL)}
        />
      </div>
      <p className="mt-6 text-center text-muted">
        Building an integration? <TextLink href="/docs">Read the docs</TextLink>
      </p>
    </main>
  );
}

const REFUSALS: Record<string, string> = {
  AccessDenied: "No account here has that verified e-mail address. Ask a workspace owner to add you.",
  NoWorkspace: "Your account belongs to no workspace yet. Ask a workspace owner to add you.",
};

const OTHER_REFUSAL = "Signing in did not work. Try again, or use another way to sign in.";

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
