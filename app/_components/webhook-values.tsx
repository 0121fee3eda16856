import type { ReactNode } from "react";
import { webhookValues } from "@/lib/phone-numbers/webhook-values";
import { Copyable } from "./copyable";
import { FieldRow, Fields } from "./fields";

/** What is pasted in the webhook settings of WhatsApp's app; `verifyToken` is for owners and admins to see. */
export function WebhookValues({ verifyToken }: { verifyToken: ReactNode }) {
  const { callbackUrl, fields } = webhookValues();
  return (
    <Fields>
      <FieldRow name="Callback URL">
        <Copyable value={callbackUrl} label="callback URL" />
      </FieldRow>
      <FieldRow name="Verify token">{verifyToken}</FieldRow>
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
