"use client";

import { Button } from "@/app/_components/button";
import { FailurePanel } from "@/app/_components/panels";

/** A page that could not be read, within the menu and the bar that could. The number leads to the server's log. */
export default function DashboardFailure({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <FailurePanel title="This page could not be loaded">
      <p>
        Nothing was changed. It may be the database or the network; trying again often helps.
        {error.digest ? (
          <>
            {" "}
            Its id in the server’s log is <code className="font-mono text-sm">{error.digest}</code>.
          </>
        ) : null}
      </p>
      <Button look="secondary" className="mt-3" onClick={() => retry()}>
        Try again
      </Button>
    </FailurePanel>
  );
}
