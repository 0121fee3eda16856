import type { Metadata } from "next";
import { CallSnippets } from "@/app/_components/call-snippets";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { templateCalls } from "@/lib/docs/template-calls";
import { env } from "@/lib/process/env";
import type { SendForm } from "@/lib/snippets/template-send";
import { MAX_BODY_CHARACTERS, MAX_CARD_BODY_CHARACTERS, MAX_PARAMETER_CHARACTERS } from "@/lib/templates/lengths";
import { Article } from "../_components/article";
import { ownKey } from "../_components/own-key";
import { Bullets, Section, Subheading } from "../_components/section";

const PAGE = "/docs/templates";

export const metadata: Metadata = docsMetadata(PAGE);

const CONTENTS = [
  ["keys", "Keys"],
  ["variables", "Variables"],
  ["components", "Components"],
  ["carousel", "Carousel"],
  ["constraints", "Constraints"],
  ["writing", "Writing one"],
] as const;

export default async function TemplatesPage() {
  const { APP_URL } = env();
  const caller = { origin: APP_URL, apiKey: await ownKey() };
  const calls = templateCalls(APP_URL);
  const shown = (form: SendForm) =>
    calls
      .filter((one) => one.form === form)
      .map(({ name, call }) => <CallSnippets key={name} label={`${name}, by ${form}`} call={call} caller={caller} />);
  return (
    <Article page={PAGE} contents={CONTENTS}>
      <Section id="keys" title="Which keys a template takes">
        <p>
          A template has places that a send must fill: in its header, its body, its buttons and, of a carousel, in each
          card. <InlineCode text="`GET /api/v1/public/templates` lists them as `variables`, and the" />{" "}
          <TextLink href="/dashboard/templates">template’s page in the dashboard</TextLink> writes the whole call, with
          a preview.
        </p>
        <DataTable
          caption="Keys of templateVariables"
          rows={KEYS}
          rowKey={({ key }) => key}
          columns={[
            { heading: "Key", cell: ({ key }) => <InlineCode text={key} /> },
            { heading: "What it fills", cell: ({ fills }) => <InlineCode text={fills} /> },
          ]}
        />
        <p>
          <InlineCode text="A variable with `oneOf` needs one of those keys: `header_link` or `header`. One with `fillWith` `templateComponents` has a place that no string fills: a location, a single product, the end of a limited-time offer. Such a template goes by components only, and its page in the dashboard writes them with a sample." />
        </p>
        <p>
          <InlineCode text="A multi-product button needs product sections, as components. For a single product `catalog_product_retailer_id` is enough: it is sent as the only item of the only section." />
        </p>
        <p>
          Fill a template in one of three ways. <InlineCode text="Take `templateVariables` unless you have a reason:" />{" "}
          it is checked against the template before anything is sent, and every fault is named at once.
        </p>
      </Section>
      <Section id="variables" title="Variables">
        <p>
          <InlineCode text="One flat object of strings. Where the header, the body and a button have `{{1}}`, all take the value of key `1`. A one-time code is key `1`, too." />
        </p>
        {shown("variables")}
      </Section>
      <Section id="components" title="Components">
        <p>
          <InlineCode text="WhatsApp’s own shape, for code that has it already. It is passed on unchanged; values beside it are ignored, which the `Warning` header says. `templateLanguage` must be exact, and each card carries its `card_index`." />
        </p>
        <p>
          <InlineCode text="The picture of a card goes by the `id` of media that you uploaded to WhatsApp, which documents no link there. To send a link, use `c0_header_link` or the structured cards: both upload it first." />
        </p>
        {shown("components")}
      </Section>
      <Section id="carousel" title="Carousel">
        <p>
          <InlineCode text="Each card by itself, and `templateVariables` for the text above them. A key of `bodyValues` fills the placeholder of that number or name; other names fill those left over, in the order in which you wrote them." />
        </p>
        {shown("carousel")}
      </Section>
      <Section id="constraints" title="Constraints">
        <Bullets>
          <li>A value has at most {MAX_PARAMETER_CHARACTERS} characters, the end of a link included.</li>
          <li>
            A whole body has at most {MAX_BODY_CHARACTERS.toLocaleString("en")} characters once it is filled, the body
            of a card {MAX_CARD_BODY_CHARACTERS}.
          </li>
          <li>
            <InlineCode text="A link button takes only the end that replaces `{{1}}`: `A-42`, never the whole address." />
          </li>
          <li>
            A linked picture or video must be publicly reachable: it is fetched and uploaded before the send. Quick
            replies and fixed links need no value.
          </li>
          <li>
            Only an approved template can be sent:{" "}
            <TextLink href="/docs/errors/TEMPLATE_NOT_APPROVED" className="break-all">
              TEMPLATE_NOT_APPROVED
            </TextLink>{" "}
            otherwise.
          </li>
          <li>
            <InlineCode text="Where a name is approved in several languages, say which. `en` finds `en_US` where that is the only approved English one; with `templateComponents` the code must be exact." />
          </li>
        </Bullets>
      </Section>
      <Section id="writing" title="Writing one">
        <p>
          Owners and admins <TextLink href="/dashboard/templates/new">write templates in the dashboard</TextLink>, which
          checks these rules as they type. Approval is the platform’s.
        </p>
        <Subheading id="writing-body">Body</Subheading>
        <Bullets>
          <li>
            <InlineCode text="Variables are `{{1}}`, `{{2}}` and so on, without a gap, each with a sample for the review." />
          </li>
          <li>None stands at the very start or end, none beside another, and there are more words than variables.</li>
        </Bullets>
        <Subheading id="writing-links">Link buttons</Subheading>
        <Bullets>
          <li>
            <InlineCode text="The label and the URL are separate fields. The URL begins with `https://` and has no spaces." />
          </li>
          <li>
            <InlineCode text="A link that varies has exactly one variable: `{{1}}`, at the very end, whatever the body’s are." />
          </li>
        </Bullets>
      </Section>
    </Article>
  );
}

const KEYS = [
  { key: "`1`, `2`, …", fills: "`{{1}}`, `{{2}}` of the header, the body and a link button’s end." },
  { key: "`order_number`", fills: "`{{order_number}}`, in a template whose placeholders have names." },
  { key: "`header_link`", fills: "The picture, video or document above the text: a public address." },
  { key: "`header`", fills: "The same by the id of media that was uploaded to WhatsApp, in place of `header_link`." },
  { key: "`copy_code`", fills: "The code behind a copy-code button, at most 15 characters." },
  {
    key: "`catalog_product_retailer_id`",
    fills: "The product that a catalog button shows first, where it is optional, or the one of a multi-product button.",
  },
  { key: "`c0_1`, `c1_1`, …", fills: "`{{1}}` of the first card, of the second, in its text and its link button." },
  { key: "`c0_header_link`, `c0_header`", fills: "The picture or video of the first card, as for the whole message." },
];
