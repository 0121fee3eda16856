import { CallSnippets } from "@/app/_components/call-snippets";
import { CodeBlock } from "@/app/_components/code-block";
import { InlineCode } from "@/app/_components/inline-code";
import { GET_MESSAGE, LIST_TEMPLATES, SEND_ANSWER, SEND_TEMPLATE, SEND_TEXT } from "@/lib/docs/calls";
import { Section } from "./_components/section";

export function Quickstart({ origin }: { origin: string }) {
  const caller = { origin, apiKey: null };
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
      <CallSnippets label="POST /api/v1/public/messages/send" call={SEND_TEXT} caller={caller} />
      <CodeBlock label="Answer" code={SEND_ANSWER} canCopy={false} />
      <p>
        <InlineCode text="Outside the 24 hours after a recipient’s last message only an approved template arrives. Fill its `{{1}}`, `{{2}}` by number:" />
      </p>
      <CallSnippets label="POST /api/v1/public/messages/send, with a template" call={SEND_TEMPLATE} caller={caller} />
      <h3 className="font-semibold">2. Read its status</h3>
      <p>
        <InlineCode text="By `data.id` of the send, not by `chatMessageId`. The answer has the same shape." />
      </p>
      <CallSnippets label="GET /api/v1/public/messages/:messageId" call={GET_MESSAGE} caller={caller} />
      <h3 className="font-semibold">3. List the approved templates</h3>
      <p>
        <InlineCode text="Each record names its language, its `components` and, as `variables`, every key that a send must fill." />
      </p>
      <CallSnippets label="GET /api/v1/public/templates" call={LIST_TEMPLATES} caller={caller} />
    </Section>
  );
}
