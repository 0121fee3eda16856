import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { recipientRows } from "@/lib/docs/test-recipients";
import { ERROR_STATUS } from "@/lib/errors/app-error";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { GATEWAY_NUMBERS } from "@/lib/test-mode/gateway-numbers";
import { Article } from "../_components/article";
import { Bullets, Section } from "../_components/section";

const PAGE = "/docs/testing";

export const metadata: Metadata = docsMetadata(PAGE);

const CONTENTS = [
  ["keys", "Keys and lines"],
  ["test-numbers", "Test numbers"],
  ["test-templates", "Templates"],
  ["differences", "What differs from live"],
] as const;

export default function TestingPage() {
  return (
    <Article page={PAGE} contents={CONTENTS}>
      <Section id="keys" title="Keys and lines">
        <p>
          <InlineCode text="The mode belongs to the key. One that begins with `pk_test_` speaks to a sandbox that is built into this gateway: nothing reaches a person, and nothing counts against the plan." />
        </p>
        <Bullets>
          <li>
            It needs a test line: <TextLink href="/dashboard/phone-numbers/new#test">add one</TextLink> with one click.
          </li>
          <li>A test key sees test lines, test templates and test messages only, and a live key sees none of them.</li>
          <li>
            <InlineCode text="Each answer names the mode of the key that it was given: `X-Mode: test`." />
          </li>
          <li>
            Everything else is as in live: the same endpoints, checks, limits per 15 minutes, idempotency and signed
            webhooks.
          </li>
          <li>Contacts belong to the workspace, and both modes may send to them.</li>
        </Bullets>
      </Section>
      <Section id="test-numbers" title="Test numbers">
        <p>The recipient decides what happens. The numbers are set aside for drama and belong to nobody.</p>
        <DataTable
          caption="Test numbers"
          rows={recipientRows()}
          rowKey={({ phone }) => phone}
          columns={[
            { heading: "Recipient", cell: ({ phone }) => <code className="font-mono text-sm">{phone}</code> },
            {
              heading: "Answer",
              cell: ({ httpStatus, isUnknown }) => (
                <InlineCode text={`\`${httpStatus}\`${isUnknown ? ", unknown" : ""}`} />
              ),
            },
            { heading: "Platform code", cell: ({ platformCode }) => <PlatformCode code={platformCode} /> },
            { heading: "What follows", cell: ({ follows }) => <InlineCode text={follows} /> },
          ]}
        />
        <p>
          <InlineCode text="`unknown` is the outcome in `details` of a `502`: the message may have been sent. Statuses follow within two seconds unless a row says more. Any other number behaves like `447700900003`." />
        </p>
        <p>
          <InlineCode text="Some numbers make the gateway itself refuse, as if it were so, for your own handling to be tried. Nothing is bound by it, and `details.testNumber` says that it was played." />
        </p>
        <DataTable
          caption="Test numbers that the gateway refuses"
          rows={[...GATEWAY_NUMBERS]}
          rowKey={({ phone }) => phone}
          columns={[
            { heading: "Recipient", cell: ({ phone }) => <code className="font-mono text-sm">{phone}</code> },
            { heading: "Answer", cell: ({ code }) => <InlineCode text={`\`${ERROR_STATUS[code]}\``} /> },
            {
              heading: "Error",
              cell: ({ code }) => (
                <TextLink href={`/docs/errors/${code}`} className="break-all" prefetch={false}>
                  {code}
                </TextLink>
              ),
            },
            { heading: "As if", cell: ({ says }) => <InlineCode text={says} /> },
          ]}
        />
      </Section>
      <Section id="test-templates" title="Templates">
        <p>
          <TextLink href="/dashboard/templates/new">Write a template</TextLink> in test mode: the sandbox checks it by
          the platform’s rules and approves it at once; one for marketing waits a moment for its review, as it would
          there.
        </p>
        <p>
          <InlineCode text="The workspace of `npm run demo` has these from the start. The page of each in the dashboard writes a call that is answered so:" />
        </p>
        <DataTable
          caption="Templates of the demo"
          rows={[...FIXTURE_TEMPLATES]}
          rowKey={({ id }) => id}
          columns={[
            { heading: "Name", cell: ({ name }) => <code className="font-mono text-sm break-all">{name}</code> },
            { heading: "Language", cell: ({ language }) => <code className="font-mono text-sm">{language}</code> },
            { heading: "Category", cell: ({ category }) => category.toLowerCase() },
            {
              heading: "A send",
              cell: ({ status }) =>
                status === "APPROVED" ? (
                  <InlineCode text="`201`" />
                ) : (
                  <>
                    <InlineCode text="`400`" />{" "}
                    <TextLink href="/docs/errors/TEMPLATE_NOT_APPROVED" className="break-all">
                      TEMPLATE_NOT_APPROVED
                    </TextLink>
                    : {status.toLowerCase()}
                  </>
                ),
            },
          ]}
        />
      </Section>
      <Section id="differences" title="What differs from live">
        <Bullets>
          <li>Free text always arrives: the sandbox does not count the 24 hours after a recipient’s last message.</li>
          <li>Nobody writes back, so there are no inbound messages.</li>
          <li>Linked pictures are fetched and checked as in live, and shown to nobody.</li>
        </Bullets>
      </Section>
    </Article>
  );
}

function PlatformCode({ code }: { code: number | null }) {
  if (code === null) return <span className="text-muted">–</span>;
  if (!explainPlatformCode(code)) return code;
  return (
    <TextLink href={`/docs/errors/platform/${code}`} prefetch={false}>
      {code}
    </TextLink>
  );
}
