import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { budgets, POLL_AT_SECONDS } from "@/lib/docs/polling";
import { env } from "@/lib/process/env";
import { Article } from "../_components/article";
import { Bullets, Section } from "../_components/section";
import { Statuses } from "./statuses";

const PAGE = "/docs/polling";

export const metadata: Metadata = docsMetadata(PAGE);

export default function PollingPage() {
  const { PUBLIC_API_IP_RATE_LIMIT: perAddress, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  const binding = Math.min(perAddress, perKey);
  return (
    <Article page={PAGE}>
      <Statuses />
      <Section id="budget" title="The budget">
        <p>
          What became of a message is read, not pushed. Sends and look-ups are counted together, so a schedule that fits
          the limits matters more than a fast loop.
        </p>
        <p>
          From one address {perAddress} calls in 15 minutes are answered, with one key {perKey}.{" "}
          {perAddress < perKey
            ? "A single server meets the limit of its address first."
            : "The key’s limit is met first."}{" "}
          <InlineCode text="`RateLimit-Remaining` on every answer says what is left of the tighter one." />
        </p>
        <DataTable
          caption={`How ${binding} calls in 15 minutes can be spent`}
          rows={budgets(binding)}
          rowKey={({ pollsPerSend }) => `${pollsPerSend}`}
          columns={[
            { heading: "Look-ups per send", cell: ({ pollsPerSend }) => `${pollsPerSend}` },
            { heading: "Sends", cell: ({ sends }) => `${sends}` },
            { heading: "Look-ups", cell: ({ polls }) => `${polls}` },
          ]}
        />
      </Section>
      <Section id="schedule" title="A schedule that fits">
        <p>
          Ask {POLL_AT_SECONDS.map(inWords).join(", ")} after the send, and stop at a final status:{" "}
          <InlineCode text="`READ` or `FAILED`, or `DELIVERED` where that is enough." />
        </p>
        <Bullets>
          <li>
            <InlineCode text="`READ` may never come: many recipients have read receipts switched off. Never wait for it." />
          </li>
          <li>
            <InlineCode text="`UNKNOWN` may still become `SENT` or `FAILED`; do not send again with another key." />
          </li>
          <li>
            <InlineCode text="After a `429` wait the seconds of `Retry-After`, then go on with the schedule." />{" "}
            <TextLink href="/docs/errors/RATE_LIMIT_EXCEEDED">More about 429</TextLink>
          </li>
          <li>
            A message that is still SENT after half an hour waits for its recipient’s phone. Ask again once a day, or
            not at all.
          </li>
        </Bullets>
      </Section>
    </Article>
  );
}

const inWords = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);
