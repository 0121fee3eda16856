import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { env } from "@/lib/process/env";
import { Bullets, Section } from "../_components/section";

export function Idempotency() {
  return (
    <Section id="idempotency" title="Idempotency">
      <p>
        <InlineCode text="Give every send an idempotency key, as the header `Idempotency-Key` or the body field `idempotencyKey`, at most 255 characters. Then a retry can never send twice:" />
      </p>
      <Bullets>
        <li>
          <InlineCode text="Same key, same request: `200` with the first message and `idempotentReplay` true, also where WhatsApp refused it for good." />
        </li>
        <li>
          <InlineCode text="After a `502` with `details.outcome` `not_sent`, and wherever `details.retryable` was true, the same key tries the same message again: `201` once it passes." />
        </li>
        <li>
          Same key, another request:{" "}
          <TextLink href="/docs/errors/IDEMPOTENCY_CONFLICT">409 IDEMPOTENCY_CONFLICT</TextLink>, and nothing is sent.
        </li>
        <li>
          <InlineCode text="After a time-out, a `500`, a `502` or a `503`: repeat with the same key, never without." />
        </li>
        <li>
          <InlineCode text="After a `400` `CHAT_GRAPH_ERROR`: use a new key, unless `details.retryable` is `true`; then wait and repeat with the same." />
        </li>
        <li>
          <InlineCode text="The order of keys makes no other request, but for the named `bodyValues` of a card, where order has a meaning." />
        </li>
      </Bullets>
    </Section>
  );
}

export function Limits() {
  const { PUBLIC_API_IP_RATE_LIMIT: perAddress, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  return (
    <Section id="limits" title="Limits">
      <Bullets>
        <li>{perAddress} requests per 15 minutes from one client address, status look-ups included.</li>
        <li>{perKey} requests per 15 minutes with one API key.</li>
        <li>The messages of your plan per calendar month (UTC). Test messages and replays are free.</li>
        <li>256 KB per request; 4,096 characters of text; 160 characters per template variable.</li>
      </Bullets>
      {perAddress < perKey ? (
        <p>The address limit is the tighter one: a single server reaches it before the limit of its key.</p>
      ) : null}
      <p>
        <InlineCode text="`RateLimit-*` shows the tighter of the two on every answer; a `429` carries `Retry-After`." />{" "}
        <TextLink href="/docs/polling#budget">How many look-ups fit</TextLink>
      </p>
    </Section>
  );
}

export function LineIds() {
  return (
    <Section id="line-ids" title="Line ids">
      <p>
        <InlineCode text="With more than one active line, name the one that sends as `phoneNumberId`: our id, such as `pn_01kd…`. It is the last part of the line’s address in the dashboard, with a Copy button beside it." />
      </p>
      <p>WhatsApp’s own numeric phone id is a different thing and is not accepted here.</p>
    </Section>
  );
}
