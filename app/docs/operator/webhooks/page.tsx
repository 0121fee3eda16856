import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { WebhookValues } from "@/app/_components/webhook-values";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { Article } from "../../_components/article";
import { Bullets, Section } from "../../_components/section";

const PAGE = "/docs/operator/webhooks";

export const metadata: Metadata = docsMetadata(PAGE);

const CONTENTS = [
  ["values", "Values"],
  ["signatures", "Signatures"],
  ["refusals", "Refusals"],
  ["proxies", "Proxies"],
  ["health", "Health"],
] as const;

export default function OperatorWebhooksPage() {
  return (
    <Article page={PAGE} contents={CONTENTS}>
      <Section id="values" title="Values for the platform">
        <p>
          Deliveries, reads, failures and inbound messages come by webhook. Without them a message stays{" "}
          <InlineCode text="`SENT`." /> Paste these in the webhook settings of the platform’s app:
        </p>
        <WebhookValues
          verifyToken={
            <>
              <InlineCode text="The value of `WHATSAPP_VERIFY_TOKEN`." />{" "}
              <TextLink href="/dashboard/webhooks">Owners and admins see it</TextLink>
            </>
          }
        />
        <p>
          <InlineCode text="The platform asks once with the verify token, and takes the address only if the challenge comes back. `messages` brings every status; the other fields keep templates, quality and names up to date." />
        </p>
        <p>
          An app hears of a business account once it is subscribed to it. Connecting a line does that, and the{" "}
          <TextLink href="/dashboard/phone-numbers">line’s page</TextLink> says where it is missing.
        </p>
      </Section>
      <Section id="signatures" title="Signatures">
        <p>
          <InlineCode text="Each webhook is signed: `X-Hub-Signature-256` is the HMAC-SHA256 of its exact bytes under the app secret, which is `WHATSAPP_APP_SECRET` here. Nothing unsigned is read." />
        </p>
        <p>
          <InlineCode text="To change the secret, put the old one in `WHATSAPP_APP_SECRET_PREVIOUS`: both are accepted until you remove it." />
        </p>
      </Section>
      <Section id="refusals" title="What each answer means">
        <DataTable
          caption="Answers of the webhook"
          rows={ANSWERS}
          rowKey={({ status }) => status}
          columns={[
            { heading: "Answer", cell: ({ status }) => <InlineCode text={`\`${status}\``} /> },
            { heading: "Why", cell: ({ why }) => <InlineCode text={why} /> },
            { heading: "What to do", cell: ({ toDo }) => <InlineCode text={toDo} /> },
          ]}
        />
        <p>
          Repeating a webhook is harmless, and so is their order: no webhook moves a status back. One for a number that
          is not connected here is answered with <InlineCode text="`200`" /> and kept for the time when it is.
        </p>
      </Section>
      <Section id="proxies" title="What a proxy may break">
        <Bullets>
          <li>
            The body must pass byte for byte. A firewall that parses JSON and writes it again breaks every signature;
            the dashboard’s list of refusals says so where it can tell.
          </li>
          <li>
            <InlineCode text="The header `X-Hub-Signature-256` must pass. An allow-list of headers may drop it." />
          </li>
          <li>
            No redirect: not from http to https, not to another host, not for a trailing slash. The platform follows
            none.
          </li>
          <li>
            A certificate that browsers trust, with its whole chain, and <InlineCode text="`https` in `APP_URL`." />
          </li>
          <li>
            No challenge page and no limit on this path for addresses of the platform, which come from many and in
            bursts. Let GET and POST of this one path through.
          </li>
          <li>Bodies of up to 4 MB.</li>
        </Bullets>
      </Section>
      <Section id="health" title="Seeing that it works">
        <Bullets>
          <li>
            <TextLink href="/dashboard/webhooks">Webhooks</TextLink> shows when each line was last heard of, how late,
            and every verification and refusal of the last 7 days with its reason.
          </li>
          <li>
            Its <strong className="font-semibold">Run check</strong> asks the address as the platform does, from within
            and from outside.
          </li>
          <li>
            A line with sends that wait for a status and no webhook is named there and on the{" "}
            <TextLink href="/dashboard">overview</TextLink>.
          </li>
          <li>
            <InlineCode text="`GET /api/health` answers `200` while the database does. It says nothing of webhooks." />
          </li>
        </Bullets>
      </Section>
    </Article>
  );
}

const ANSWERS = [
  { status: "200", why: "All of it is stored, or the challenge comes back.", toDo: "Nothing." },
  {
    status: "401 UNAUTHORIZED",
    why: "The signature is not that of this body under the app secret.",
    toDo: "Compare `WHATSAPP_APP_SECRET` with the app’s. If it is right, look for a proxy that changes the body.",
  },
  {
    status: "403 FORBIDDEN",
    why: "A verification with another token, or none.",
    toDo: "Paste the token without spaces, and start it again at the platform.",
  },
  {
    status: "408 REQUEST_TIMEOUT",
    why: "The body did not arrive within 10 seconds.",
    toDo: "Look for a proxy that holds bodies back. The platform sends it again.",
  },
  {
    status: "413 PAYLOAD_TOO_LARGE",
    why: "More than 4 MB.",
    toDo: "It is not the platform’s: its webhooks are smaller.",
  },
  {
    status: "503 SERVICE_UNAVAILABLE",
    why: "The database is unavailable, and nothing was stored.",
    toDo: "Restore it. WhatsApp repeats what was not accepted for at least 36 hours.",
  },
];
