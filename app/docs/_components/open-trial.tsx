"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import type { Endpoint } from "./trial-call";

type Props = { endpoint: Endpoint; workspace: string; workspaceId: string };

// Fetched when it is asked for: most readers only read.
const TrialForm = dynamic(() => import("./trial-form").then((module) => module.TrialForm), {
  loading: () => <p className="text-muted">Loading…</p>,
});

/** Opens the form. `data-open` ends the column's stickiness, so that a long response can be scrolled to. */
export function OpenTrial({ endpoint, workspace, workspaceId }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p className="text-muted">
        Sends a real request to this deployment, with a test key of {workspace} that expires after 30 minutes. Nothing
        reaches a person.
      </p>
      {isOpen ? (
        <div data-open>
          <TrialForm endpoint={endpoint} workspaceId={workspaceId} />
        </div>
      ) : (
        <Button className="justify-self-start" look="secondary" onClick={() => setIsOpen(true)}>
          Try it
        </Button>
      )}
    </>
  );
}
