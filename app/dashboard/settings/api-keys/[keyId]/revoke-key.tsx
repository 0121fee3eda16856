"use client";

import { useState } from "react";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { revokeApiKey } from "../actions";

type Props = {
  workspaceId: string;
  apiKey: { apiKey: string; label: string };
  /** In words, where the key was used in the last 24 hours: then its label must be typed. */
  recentUse: string | undefined;
};

export function RevokeKey({ workspaceId, apiKey: { apiKey, label }, recentUse }: Props) {
  const [typed, setTyped] = useState("");
  return (
    <ConfirmAction
      action={revokeApiKey}
      workspaceId={workspaceId}
      opener="Revoke…"
      title={`Revoke ${label}?`}
      confirm="Revoke key"
      busy="Revoking…"
      isReady={!recentUse || typed.trim() === label}
    >
      <input type="hidden" name="apiKey" value={apiKey} />
      <p>Its next request is refused with 401. There is no way back: a revoked key is never active again.</p>
      {recentUse ? (
        <>
          <p className="rounded-control bg-caution-fill px-3 py-2 text-caution">{recentUse}</p>
          <div className="grid gap-1">
            <label htmlFor="typed-label" className="font-medium">
              Type <span className="font-mono">{label}</span> to revoke it anyway
            </label>
            <input
              id="typed-label"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              className="min-h-9 w-full rounded-control border border-control bg-page px-3 text-lg sm:text-base pointer-coarse:min-h-11"
            />
          </div>
        </>
      ) : (
        <p className="text-muted">It was not used in the last 24 hours.</p>
      )}
    </ConfirmAction>
  );
}
