import { ButtonLink } from "./_components/button";
import { SiteHeader } from "./_components/frame";

export const metadata = { title: "Page not found" };

export default function NotFoundPage() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6">
        <p className="font-mono text-sm text-muted">404</p>
        <h1 className="mt-1 text-xl font-bold tracking-tight">There is nothing at this address</h1>
        <p className="mt-2 text-muted">
          The link may be old, mistyped, or belong to a workspace that you are not a member of.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <ButtonLink href="/dashboard">Go to the dashboard</ButtonLink>
          <ButtonLink href="/docs" look="secondary">
            Read the docs
          </ButtonLink>
        </div>
      </main>
    </>
  );
}
