import { randomInt } from "node:crypto";
import { pageOf, passes, pick } from "./listing";
import { asListedTemplate } from "./one-time-codes";
import { checkNewTemplate, duplicateTemplate, type NewTemplate } from "./template-creation-rules";
import type { SandboxTemplate } from "./template-layout";

const DEFAULT_FIELDS = ["name", "parameter_format", "components", "language", "status", "category", "sub_category"];
/** A template is some KB; the host has one of its own as soon as it has stored the answer. */
const MAX_CREATED = 1_000;
const EXAMPLE_MEDIA_URL = "https://scontent.example/";

export type TemplateQuery = {
  /** The token of the caller: an account's templates are visible only to holders of the same token. */
  accessToken: string;
  whatsappBusinessAccountId?: string;
  /** Set on sends, which do not name the account: the host looks up the line's account. */
  whatsappPhoneNumberId?: string;
  name?: string;
};

type Account = Required<Pick<TemplateQuery, "accessToken" | "whatsappBusinessAccountId">>;
type NameQuery = Required<Pick<TemplateQuery, "accessToken" | "whatsappPhoneNumberId" | "name">>;

/**
 * Serves the host's templates, and the newest that were created here until the host has them, too.
 * `review` is called with each template that needs a review.
 */
export function createTemplates(
  known: (query: TemplateQuery) => Promise<SandboxTemplate[]>,
  review: (whatsappBusinessAccountId: string, template: SandboxTemplate) => void,
) {
  const created: (Account & { template: SandboxTemplate })[] = [];
  const createdWith = (accessToken: string) => created.filter((one) => one.accessToken === accessToken);
  const together = (own: typeof created, held: SandboxTemplate[]) => [
    ...own.map(({ template }) => template).filter(({ id }) => !held.some((other) => other.id === id)),
    ...held.map(asListedTemplate),
  ];
  const ofAccount = async (account: Account) =>
    together(
      createdWith(account.accessToken).filter(
        (one) => one.whatsappBusinessAccountId === account.whatsappBusinessAccountId,
      ),
      await known(account),
    );
  return {
    /** `GET /{waba-id}/message_templates` */
    list: async (account: Account, url: URL) => listPage(await ofAccount(account), url),
    /** `POST /{waba-id}/message_templates` */
    create: async (account: Account, body: unknown) => {
      const template = asListed(checkNewTemplate(body));
      const { id, name, language, status, category } = template;
      const existing = await ofAccount(account);
      if (existing.some((other) => other.name === name && other.language === language))
        throw duplicateTemplate(name, language);
      created.unshift({ ...account, template });
      created.splice(MAX_CREATED);
      if (status === "PENDING") review(account.whatsappBusinessAccountId, template);
      return Response.json({ id, status, category });
    },
    /** All languages of a name, in any status. */
    findByName: async (query: NameQuery) =>
      together(createdWith(query.accessToken), await known(query)).filter(({ name }) => name === query.name),
  };
}

function listPage(templates: readonly SandboxTemplate[], url: URL): Response {
  const query = url.searchParams;
  const wanted = templates.filter(
    ({ name, language, status, category }) =>
      (query.get("name") ?? name) === name &&
      passes(query.get("language"), language) &&
      passes(query.get("status"), status) &&
      passes(query.get("category"), category),
  );
  const { items, paging } = pageOf(wanted, url);
  const data = items.map((template) => pick(template, query.get("fields"), DEFAULT_FIELDS));
  return Response.json({ data, ...(paging ? { paging } : {}) });
}

/** Marketing templates wait for a manual review; other categories are approved immediately. */
const asListed = ({ name, language, category, parameter_format, components }: NewTemplate): SandboxTemplate =>
  asListedTemplate({
    id: String(randomInt(1e14, 2e14)),
    name,
    language,
    status: category === "MARKETING" ? "PENDING" : "APPROVED",
    category,
    sub_category: "CUSTOM",
    parameter_format,
    components: components.map(withReadableExample),
    rejected_reason: "NONE",
    quality_score: { score: "UNKNOWN" },
  });

/** An upload handle is returned as a short-lived URL, which can't be posted again. */
const withReadableExample = (component: NewTemplate["components"][number]) =>
  component.example?.header_handle
    ? { ...component, example: { ...component.example, header_handle: [`${EXAMPLE_MEDIA_URL}${component.type}`] } }
    : component;
