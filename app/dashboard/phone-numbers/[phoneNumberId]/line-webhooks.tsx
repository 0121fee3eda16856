import { Ago } from "@/app/_components/ago";
import { FieldRow, Fields } from "@/app/_components/fields";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { WebhookTraffic } from "@/lib/incoming/queries";
import type { ShownLine } from "@/lib/phone-numbers/queries";
import { whoCan } from "@/lib/workspaces/roles";
import { WebhookCounts, WebhookLag } from "../../_components/webhook-counts";
import { RunCheck } from "../_components/run-check";
import { runLineCheck } from "../actions";

type Props = {
  line: ShownLine;
  workspaceId: string;
  traffic: WebhookTraffic | undefined;
  refusedSignatures: number;
  canManage: boolean;
  timeZone: string;
};

export function LineWebhooks({ line, workspaceId, traffic, refusedSignatures, canManage, timeZone }: Props) {
  return (
    <section aria-labelledby="webhooks">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="webhooks" className="text-lg font-semibold">
          Webhooks, last 24 hours
        </h2>
        <TextLink href="/dashboard/webhooks">WhatsApp feed</TextLink>
      </div>
      <Fields>
        <FieldRow name="Last received">
          <Timestamp at={line.lastWebhookAt} timeZone={timeZone} absent="None received yet" />
          {line.lastWebhookAt ? (
            <span className="text-muted">
              {" "}
              (<Ago at={line.lastWebhookAt} />)
            </span>
          ) : null}
        </FieldRow>
        <FieldRow name="Lag">
          <WebhookLag traffic={traffic} />
        </FieldRow>
        <FieldRow name="Counts">
          <WebhookCounts traffic={traffic} refusedSignatures={refusedSignatures} />
        </FieldRow>
        {line.mode === "live" ? (
          <FieldRow name="Subscription">
            {line.subscribedAt ? (
              <>
                Confirmed <Timestamp at={line.subscribedAt} timeZone={timeZone} />
              </>
            ) : (
              <span className="text-muted">Not confirmed</span>
            )}
          </FieldRow>
        ) : null}
      </Fields>
      {line.disconnectedAt ? null : (
        <div className="mt-3">
          <RunCheck
            action={runLineCheck}
            workspaceId={workspaceId}
            fields={{ phoneNumberId: line.id }}
            lack={canManage ? undefined : whoCan("manageLines")}
          />
        </div>
      )}
    </section>
  );
}
