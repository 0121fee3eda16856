import { CodeBlock } from "@/app/_components/code-block";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { ERROR_ANSWER } from "@/lib/docs/calls";
import { env } from "@/lib/env";
import { Bullets, Section } from "./_components/section";
import { Quickstart } from "./quickstart";
import { Statuses } from "./statuses";
import { TestMode } from "./test-mode";

const CONTENTS = [
  ["quickstart", "Quickstart"],
  ["test-mode", "Test mode"],
  ["statuses", "Statuses"],
  ["idempotency", "Idempotency"],
  ["limits", "Limits"],
  ["polling", "Polling"],
  ["line-ids", "Line ids"],
  ["errors", "Errors"],
] as const;

export default function DocsPage() {
  const { APP_URL, PUBLIC_API_IP_RATE_LIMIT, PUBLIC_API_KEY_RATE_LIMIT } = env();
  return (
    <div className="gap-12 lg:grid lg:grid-cols-[12rem_minmax(0,46rem)]">
      <nav aria-label="On this page" className="mb-8 lg:sticky lg:top-8 lg:mb-0 lg:self-start">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 lg:grid">
          {CONTENTS.map(([id, word]) => (
            <li key={id}>
              <TextLink href={`#${id}`} className="inline-block py-0.5">
                {word}
              </TextLink>
            </li>
          ))}
        </ul>
      </nav>
      <article className="grid gap-10">
        <header>
          <h1 className="text-2xl font-semibold tracking-tight">Messaging API</h1>
          <p className="mt-2 max-w-prose text-lg text-muted">
            Your backend sends WhatsApp messages through a line of your workspace, reads what became of them, and lists
            the templates it may use. Three endpoints below <InlineCode text="`/api/v1/public`" />, JSON in and out.
          </p>
        </header>
        <Quickstart origin={APP_URL} />
        <TestMode />
        <Statuses />
        <Section id="idempotency" title="Idempotency">
          <p>
            <InlineCode text="Give every send an idempotency key, as the header `Idempotency-Key` or the body field `idempotencyKey`, at most 255 characters. Then a retry can never send twice:" />
          </p>
          <Bullets>
            <li>
              <InlineCode text="Same key, same request: `200` with the first message and `idempotentReplay` true." />
            </li>
            <li>
              Same key, another request:{" "}
              <TextLink href="/docs/errors/IDEMPOTENCY_CONFLICT">409 IDEMPOTENCY_CONFLICT</TextLink>, and nothing is
              sent.
            </li>
            <li>
              <InlineCode text="After a time-out, a `500`, a `502` or a `503`: repeat with the same key, never without." />
            </li>
          </Bullets>
        </Section>
        <Section id="limits" title="Limits">
          <Bullets>
            <li>
              {PUBLIC_API_IP_RATE_LIMIT} requests per 15 minutes from one client address, status look-ups included.
            </li>
            <li>{PUBLIC_API_KEY_RATE_LIMIT} requests per 15 minutes with one API key.</li>
            <li>The messages of your plan per calendar month (UTC). Test messages and replays are free.</li>
            <li>256 KB per request; 4,096 characters of text; 160 characters per template variable.</li>
          </Bullets>
          {PUBLIC_API_IP_RATE_LIMIT < PUBLIC_API_KEY_RATE_LIMIT ? (
            <p>The address limit is the tighter one: a single server reaches it before the limit of its key.</p>
          ) : null}
          <p>
            <InlineCode text="The headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (in seconds) show the tighter of the two on every answer; a `429` carries `Retry-After`." />
          </p>
        </Section>
        <Section id="polling" title="Polling">
          <p>
            Ask for a message after 5 s, 15 s, 60 s, 5 min and 30 min, and stop at a final status. Many recipients have
            read receipts switched off, so <InlineCode text="`READ` may never come: do not wait for it." />{" "}
            <TextLink href="/docs/polling">How many look-ups fit the limits</TextLink>
          </p>
        </Section>
        <Section id="line-ids" title="Line ids">
          <p>
            <InlineCode text="With more than one active line, name the one that sends as `phoneNumberId`: our id, such as `pn_01kd…`. It is the last part of the line’s address in the dashboard, with a Copy button beside it." />
          </p>
          <p>The platform’s own numeric phone id is a different thing and is not accepted here.</p>
        </Section>
        <Section id="errors" title="Errors">
          <p>
            <InlineCode text="Every answer with a status of 400 or more has this body. `message` says what, why and the fix; `details.docsUrl` leads to the page of the code." />{" "}
            <TextLink href="/docs/errors">All error codes</TextLink>
          </p>
          <CodeBlock label="An error" code={ERROR_ANSWER} canCopy={false} />
        </Section>
      </article>
    </div>
  );
}
