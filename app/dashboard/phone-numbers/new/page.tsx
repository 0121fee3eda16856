import { TextLink } from "@/app/_components/link";
import { requireMember } from "@/lib/auth/page-member";
import { signUpSettings } from "@/lib/phone-numbers/sign-up-line";
import { Allowed, Page } from "../../_components/page-frame";
import { MemberWebhookValues } from "../../_components/whatsapp-webhooks";
import { ConnectForm, TestLineForm } from "./connect-form";
import { SignUp } from "./sign-up";

export const metadata = { title: "Connect a line · Lines" };

export default async function ConnectLinePage() {
  await requireMember();
  const settings = signUpSettings();
  return (
    <Page
      title="Connect a line"
      intro={`${settings ? "Use Meta’s dialog, or paste" : "Paste"} an access token and the id of the business account. Each step is checked with WhatsApp before anything is stored.`}
      back={{ href: "/dashboard/phone-numbers", word: "Lines" }}
    >
      <Allowed to="manageLines">
        {settings ? (
          <>
            <SignUp settings={settings} />
            <h2 className="mt-8 mb-4 border-t border-hairline pt-6 font-semibold">Or paste an access token</h2>
          </>
        ) : null}
        <div className="grid items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <ConnectForm look={settings && "secondary"} />
          <WhereToFind />
        </div>
        <details className="mt-10 max-w-3xl border-t border-hairline pt-4">
          <summary className="font-medium">Webhook values for WhatsApp, once for each app</summary>
          <p className="my-3 max-w-prose text-muted">
            Paste them in your app at Meta, under WhatsApp → Configuration → Webhook. Without them a message stays
            “Sent”.
          </p>
          <MemberWebhookValues />
        </details>
        <div
          id="test"
          className="mt-4 flex max-w-3xl flex-wrap items-center justify-between gap-3 border-t border-hairline pt-4"
        >
          <p className="text-muted">No WhatsApp account yet? A test line sends to the built-in sandbox.</p>
          <TestLineForm />
        </div>
      </Allowed>
    </Page>
  );
}

const SYSTEM_USERS = "https://business.facebook.com/settings/system-users";
const ACCOUNTS = "https://business.facebook.com/wa/manage/home/";

/** The pages at Meta that hold the two values. A token of a person ends with the person's sign-in. */
function WhereToFind() {
  return (
    <aside aria-label="Where to find the values" className="text-sm text-muted">
      <h2 className="font-semibold text-ink">Where to find the token</h2>
      <ol className="mt-2 grid list-decimal gap-1.5 ps-5">
        <li>
          Open <TextLink href={SYSTEM_USERS}>System users</TextLink> in Meta Business settings, and add one or choose
          one.
        </li>
        <li>Assign it your app and your WhatsApp account, each with full control.</li>
        <li>Choose “Generate new token”, your app, and “Never” as the expiry.</li>
        <li>
          Tick these two permissions, and copy the token:
          <span className="block font-mono">whatsapp_business_messaging</span>
          <span className="block font-mono">whatsapp_business_management</span>
        </li>
      </ol>
      <h2 className="mt-4 font-semibold text-ink">Where to find the account id</h2>
      <p className="mt-2">
        In <TextLink href={ACCOUNTS}>WhatsApp Manager</TextLink> under Account tools: the number below the account’s
        name, not the one of a phone number.
      </p>
    </aside>
  );
}
