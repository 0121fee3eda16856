"use client";

import { Button } from "./_components/button";
import { FailurePanel } from "./_components/panels";

export default function ErrorPage({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <main id="main" className="mx-auto max-w-2xl px-4 py-16 sm:px-6">
      <title>Something failed · Switchboard</title>
      <h1 className="mb-6 text-xl font-bold tracking-tight">Something failed on our side</h1>
      <FailurePanel title="This page could not be loaded">
        <p>
          Most often the database did not answer in time. Nothing that you sent through the API is lost by this: try
          again in a moment.
        </p>
        {error.digest ? (
          <p className="mt-2">
            Reference for the operator’s log: <code className="font-mono text-ink">{error.digest}</code>
          </p>
        ) : null}
        <Button onClick={() => retry()} className="mt-4">
          Try again
        </Button>
      </FailurePanel>
    </main>
  );
}
