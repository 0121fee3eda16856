import type { Metadata } from "next";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember } from "@/lib/auth/page-member";
import { can, whoCan } from "@/lib/workspaces/roles";
import { MemberWebhookValues } from "../../_components/member-webhook-values";
import { ConnectForm } from "./connect-form";
import { TestLineForm } from "./test-line-form";

export const metadata: Metadata = { title: "Connect a line · Lines" };

export default async function ConnectLinePage() {
  const { workspaceId, role } = await requireMember();
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/phone-numbers">Lines</TextLink>
      </p>
      <PageHeading title="Connect a line">
        Paste an access token and the id of the business account. Each step is checked with WhatsApp before anything is
        stored.
      </PageHeading>
      {can(role, "manageLines") ? (
        <div className="grid max-w-3xl gap-10">
          <ConnectForm workspaceId={workspaceId} />
          <section aria-labelledby="values">
            <h2 id="values" className="text-lg font-semibold">
              Values for WhatsApp
            </h2>
            <p className="mt-1 mb-3 max-w-prose text-muted">
              Paste these once in your app at WhatsApp, under WhatsApp → Configuration → Webhook. Without them a message
              stays “Sent”.
            </p>
            <MemberWebhookValues canSeeToken />
          </section>
          <section aria-labelledby="test" className="border-t border-hairline pt-6">
            <h2 id="test" className="text-lg font-semibold">
              Add a test line
            </h2>
            <p className="mt-1 mb-3 max-w-prose text-muted">
              No account and no token needed: a test line uses the built-in sandbox, and test keys send from it.
            </p>
            <TestLineForm workspaceId={workspaceId} />
          </section>
        </div>
      ) : (
        <Notice>{whoCan("manageLines")}</Notice>
      )}
    </>
  );
}
