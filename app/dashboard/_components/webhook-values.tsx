import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { webhookValues } from "@/lib/webhooks/webhook-values";

/** What is pasted in the webhook settings of the platform's app; `canSeeToken` is for owners and admins. */
export function WebhookValues({ canSeeToken }: { canSeeToken: boolean }) {
  const { callbackUrl, verifyToken, fields } = webhookValues();
  return (
    <Fields>
      <FieldRow name="Callback URL">
        <Copyable value={callbackUrl} label="callback URL" />
      </FieldRow>
      <FieldRow name="Verify token">
        {canSeeToken ? (
          <Copyable value={verifyToken} label="verify token" />
        ) : (
          <span className="text-muted">Only owners and admins see it.</span>
        )}
      </FieldRow>
      <FieldRow name="Fields to tick">
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {fields.map((field) => (
            <li key={field}>
              <code className="font-mono text-sm break-all">{field}</code>
            </li>
          ))}
        </ul>
      </FieldRow>
    </Fields>
  );
}
