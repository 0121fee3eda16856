import { ConfirmAction } from "@/app/_components/confirm-action";
import { revokeApiKey } from "../actions";

type Props = {
  workspaceId: string;
  apiKey: { apiKey: string; label: string };
  /** In words, where the key was used in the last 24 hours: then its label must be typed. */
  recentUse: string | undefined;
};

export function RevokeKey({ workspaceId, apiKey: { apiKey, label }, recentUse }: Props) {
  return (
    <ConfirmAction
      action={revokeApiKey}
      workspaceId={workspaceId}
      opener="Revoke…"
      title={`Revoke ${label}?`}
      confirm="Revoke key"
      busy="Revoking…"
      typed={recentUse ? { name: "label", word: label, label: `Type ${label} to revoke it anyway` } : undefined}
    >
      <input type="hidden" name="apiKey" value={apiKey} />
      <p>Its next request is refused with 401. This cannot be undone.</p>
      {recentUse ? (
        <p className="rounded-control bg-caution-fill px-3 py-2 text-caution">{recentUse}</p>
      ) : (
        <p className="text-muted">It was not used in the last 24 hours.</p>
      )}
    </ConfirmAction>
  );
}
