import { CodeBlock } from "@/app/_components/code-block";
import { InlineCode } from "@/app/_components/inline-code";
import {
  getMessageSnippet,
  listTemplatesSnippet,
  SEND_ANSWER,
  sendTemplateSnippet,
  sendTextSnippet,
} from "@/lib/docs/snippets";
import { Section } from "./_components/section";

export function Quickstart({ origin }: { origin: string }) {
  return (
    <Section id="quickstart" title="Quickstart">
      <p>
        <InlineCode text="Every request carries both halves of an API key as headers, `apiKey` and `apiSecret` (or `X-API-Key` and `X-API-Secret`). Keep the secret on your server, in its environment:" />
      </p>
      <CodeBlock
        label="Credentials"
        code={
          "export CHAT_API_KEY=pk_test_…      # the key id\nexport CHAT_API_SECRET=sk_test_…   # shown once, when the key was made"
        }
      />
      <h3 className="font-semibold">1. Send a message</h3>
      <CodeBlock label="POST /api/v1/public/messages/send" code={sendTextSnippet(origin)} />
      <CodeBlock label="Answer" code={SEND_ANSWER} canCopy={false} />
      <p>
        <InlineCode text="Outside the 24 hours after a recipient’s last message only an approved template arrives. Fill its `{{1}}`, `{{2}}` by number:" />
      </p>
      <CodeBlock label="POST /api/v1/public/messages/send, with a template" code={sendTemplateSnippet(origin)} />
      <h3 className="font-semibold">2. Read its status</h3>
      <p>
        <InlineCode text="By `data.id` of the send, not by `chatMessageId`. The answer has the same shape." />
      </p>
      <CodeBlock label="GET /api/v1/public/messages/:messageId" code={getMessageSnippet(origin)} />
      <h3 className="font-semibold">3. List the approved templates</h3>
      <p>
        <InlineCode text="Each record names its language, its `components` and, as `variables`, every key that a send must fill." />
      </p>
      <CodeBlock label="GET /api/v1/public/templates" code={listTemplatesSnippet(origin)} />
    </Section>
  );
}
