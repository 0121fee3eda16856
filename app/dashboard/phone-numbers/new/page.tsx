import { Section } from "@/app/_components/panels";
import { requireMember } from "@/lib/auth/page-member";
import { Allowed, Page } from "../../_components/page-frame";
import { MemberWebhookValues } from "../../_components/whatsapp-webhooks";
import { ConnectForm, TestLineForm } from "./connect-form";

export const metadata = { title: "Connect a line · Lines" };

export default async function ConnectLinePage() {
  await requireMember();
  return (
    <Page
      title="Connect a line"
      intro="Paste an access token and the id of the business account. Each step is checked with WhatsApp before anything is stored."
      back={{ href: "/dashboard/phone-numbers", word: "Lines" }}
    >
      <Allowed to="manageLines">
        <div className="grid max-w-3xl gap-10">
          <ConnectForm />
          <Section title="Values for WhatsApp">
            <p className="mb-3 max-w-prose text-muted">
              Paste these once in your app at WhatsApp, under WhatsApp → Configuration → Webhook. Without them a message
              stays “Sent”.
            </p>
            <MemberWebhookValues />
          </Section>
          <Section title="Add a test line" id="test" className="border-t border-hairline pt-6">
            <p className="mb-3 max-w-prose text-muted">
              No account and no token needed: a test line uses the built-in sandbox, and test keys send from it.
            </p>
            <TestLineForm />
          </Section>
        </div>
      </Allowed>
    </Page>
  );
}
