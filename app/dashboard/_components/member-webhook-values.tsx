import { Copyable } from "@/app/_components/copyable";
import { WebhookValues } from "@/app/_components/webhook-values";
import { webhookValues } from "@/lib/phone-numbers/webhook-values";

/** The values for WhatsApp as a member sees them; `canSeeToken` is for owners and admins. */
export function MemberWebhookValues({ canSeeToken }: { canSeeToken: boolean }) {
  return (
    <WebhookValues
      verifyToken={
        canSeeToken ? (
          <Copyable value={webhookValues().verifyToken} label="verify token" />
        ) : (
          <span className="text-muted">Only owners and admins see it.</span>
        )
      }
    />
  );
}
