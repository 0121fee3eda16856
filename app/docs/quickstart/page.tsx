import type { Metadata } from "next";
import { CallSnippets } from "@/app/_components/call-snippets";
import { CodeBlock } from "@/app/_components/code-block";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { env } from "@/lib/process/env";
import {
  CLIENT_PROGRAM,
  credentials,
  GET_MESSAGE,
  LIST_TEMPLATES,
  SEND_ANSWER,
  SEND_TEMPLATE,
  SEND_TEXT,
} from "@/lib/reference/calls";
import { Article } from "../_components/article";
import { ownKey } from "../_components/own-key";
import { Bullets, Section } from "../_components/section";

const PAGE = "/docs/quickstart";

export const metadata: Metadata = docsMetadata(PAGE);

const CONTENTS = [
  ["key", "Key"],
  ["send", "Send"],
  ["status", "Status"],
  ["failures", "Failures"],
  ["templates", "Templates"],
  ["client", "Client"],
  ["go-live", "Go live"],
] as const;

export default async function QuickstartPage() {
  const { APP_URL } = env();
  const apiKey = await ownKey();
  const caller = { origin: APP_URL, apiKey };
  return (
    <Article page={PAGE} contents={CONTENTS}>
      <Section id="key" title="1. Make a test key">
        <p>
          An owner or admin <TextLink href="/dashboard/phone-numbers/new#test">adds a test line</TextLink> and{" "}
          <TextLink href="/dashboard/settings/api-keys">creates a test key</TextLink>. Neither needs an account at the
          platform, and nothing that is sent reaches a person.
        </p>
        <p>
          <InlineCode text="Every request carries both halves of the key as headers, `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`). Keep the secret on your server, in its environment:" />
        </p>
        <CodeBlock label="Credentials" code={credentials(apiKey)} />
        {apiKey === null ? null : (
          <p>
            <InlineCode
              text={`You are signed in: the calls here carry \`${apiKey}\`, the newest test key of your workspace. Its secret is read from your environment.`}
            />
          </p>
        )}
      </Section>
      <Section id="send" title="2. Send a message">
        <CallSnippets label="POST /api/v1/public/messages/send" call={SEND_TEXT} caller={caller} />
        <CodeBlock label="Answer" code={SEND_ANSWER} canCopy={false} />
        <p>
          <InlineCode text="Run it again: the same `Idempotency-Key` answers `200` with the same message, and nothing is sent twice." />{" "}
          <TextLink href="/docs/reference#idempotency">More about idempotency</TextLink>
        </p>
      </Section>
      <Section id="status" title="3. Read its status">
        <p>
          <InlineCode text="By `data.id` of the send, not by `chatMessageId`. The answer has the same shape; within two seconds this message is `READ`." />
        </p>
        <CodeBlock label="The id of your message" code="export MESSAGE_ID=msg_…" />
        <CallSnippets label="GET /api/v1/public/messages/:messageId" call={GET_MESSAGE} caller={caller} />
        <p>
          Real people take longer: <TextLink href="/docs/polling">when to ask, and for how long</TextLink>.
        </p>
      </Section>
      <Section id="failures" title="4. See it fail">
        <p>
          <InlineCode text="Send to `447700900126`: the answer is `201` as before, and then the message is `FAILED` with its reason. `447700900190` is refused at once with `502`." />{" "}
          <TextLink href="/docs/testing#test-numbers">All test numbers</TextLink>
        </p>
      </Section>
      <Section id="templates" title="5. Send a template">
        <p>
          <InlineCode text="Outside the 24 hours after a recipient’s last message only an approved template arrives. The list says which there are, and as `variables` which keys each takes:" />
        </p>
        <CallSnippets label="GET /api/v1/public/templates" call={LIST_TEMPLATES} caller={caller} />
        <CallSnippets label="POST /api/v1/public/messages/send, with a template" call={SEND_TEMPLATE} caller={caller} />
        <p>
          The page of a template in the dashboard writes this call for it.{" "}
          <TextLink href="/docs/templates">How templates are filled</TextLink>
        </p>
      </Section>
      <Section id="client" title="6. Or let the client do it">
        <p>
          <InlineCode text="In TypeScript, copy one file into your project. It keeps the idempotency key across its retries, waits as `Retry-After` asks, and polls within the limits." />
        </p>
        <CodeBlock label="The file" code={`curl -O "${APP_URL}/docs/client.ts"`} />
        <CodeBlock label="send.ts" code={CLIENT_PROGRAM} />
      </Section>
      <Section id="go-live" title="7. Go live">
        <Bullets>
          <li>
            <TextLink href="/dashboard/phone-numbers/new">Connect a line</TextLink> with its access token; every check
            is shown as it passes.
          </li>
          <li>
            Have the operator <TextLink href="/docs/operator/webhooks">point the platform’s webhook here</TextLink>:
            without it a message stays <InlineCode text="`SENT`." />
          </li>
          <li>
            <TextLink href="/dashboard/settings/api-keys">Create a live key</TextLink>, and put it where the test key
            was. The calls stay as they are.
          </li>
          <li>
            <InlineCode text="Pass `phoneNumberId` always: then a second line never changes what your calls do." />
          </li>
        </Bullets>
      </Section>
    </Article>
  );
}
