import { ButtonLink } from "@/app/_components/button";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { Pager } from "@/app/_components/list-links";
import { optionsOf } from "@/app/_components/options";
import { type Columns, DataTable, EmptyState } from "@/app/_components/panels";
import { Muted, QualityChip, StatusChip } from "@/app/_components/text";
import { Ago, Since } from "@/app/_components/timestamp";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { sentenceCase } from "@/lib/core/text";
import { readDefinition } from "@/lib/templates/definition";
import { listLastUses, listTemplates, readFacets } from "@/lib/templates/queries";
import { inputKinds } from "@/lib/templates/value-fields";
import { Allowed, Page } from "../_components/page-frame";
import { SyncForm } from "./_components/sync-form";
import { afterOf, PAGE_SIZE, readTemplateFilter, templatesHref } from "./list-address";

export const metadata = { title: "Templates" };

const PATH = "/dashboard/templates";

type ListedTemplate = Awaited<ReturnType<typeof listTemplates>>[number];

export default async function TemplatesPage({ searchParams }: PageProps<"/dashboard/templates">) {
  const member = await requireMember();
  const { workspaceId } = member;
  const mode = await shownMode(member, searchParams);
  const { after, ...filter } = readTemplateFilter(await searchParams);
  const { q: search, ...columns } = filter;
  const [facets, found] = await Promise.all([
    readFacets(workspaceId, mode),
    listTemplates(workspaceId, { mode, search, ...columns }, { limit: PAGE_SIZE + 1, after }),
  ]);
  const templates = found.slice(0, PAGE_SIZE);
  const uses = await listLastUses(workspaceId, { mode, listed: templates });
  const last = templates.at(-1);
  return (
    <Page
      title="Templates"
      intro="Only approved templates can be sent, in exactly the language shown."
      actions={
        <div className="flex flex-wrap items-center gap-3">
          <SyncForm mode={mode} last={facets.syncedAt ? <Ago at={facets.syncedAt} /> : undefined} />
          <Allowed to="createTemplate" step="New template">
            <ButtonLink icon="plus" href={`${PATH}/new`}>
              New template
            </ButtonLink>
          </Allowed>
        </div>
      }
      mode={mode}
    >
      {facets.count > 0 ? (
        <ListFilters
          path={PATH}
          search={{ label: "Search by name", placeholder: "Search by name" }}
          filters={{
            status: { label: "Status", options: optionsOf(facets.statuses, sentenceCase) },
            category: { label: "Category", options: optionsOf(facets.categories, sentenceCase) },
            language: { label: "Language", options: optionsOf(facets.languages) },
          }}
          values={filter}
        />
      ) : null}
      <DataTable
        caption={`Templates in ${mode} mode`}
        rows={templates}
        href={({ id }) => `${PATH}/${id}`}
        columns={{
          ...DEFINED,
          Status: { place: "belowEnd", className: "sm:whitespace-nowrap", cell: statusCell },
          "Last used": { place: "end", cell: ({ id }) => <Since at={uses.get(id)} absent="Not in 30 days" /> },
        }}
        empty={
          facets.count === 0 ? (
            <EmptyState title={`No ${mode} templates on this account`}>
              Sync reads the templates that the line’s business account has on WhatsApp;{" "}
              <TextLink href={`${PATH}/new`}>a new one</TextLink> is sent there for review. Text messages need no
              template.
            </EmptyState>
          ) : (
            <EmptyState title="No template matches">
              <TextLink href={PATH}>Clear the filters</TextLink> to see all {facets.count}.
            </EmptyState>
          )
        }
      />
      <Pager
        words={{ newer: "First page", older: "Next page" }}
        newer={after ? templatesHref(filter) : undefined}
        older={found.length > PAGE_SIZE && last ? templatesHref(filter, afterOf(last)) : undefined}
      />
    </Page>
  );
}

/** The columns of what a template is. */
const DEFINED: Columns<ListedTemplate> = {
  Name: { className: "sm:w-[35%] sm:max-w-0", cell: ({ name }) => <span className="block truncate">{name}</span> },
  Language: { place: "below", cell: ({ language }) => <Muted>{language}</Muted> },
  Category: ({ category }) => <Muted>{sentenceCase(category)}</Muted>,
  Inputs: {
    className: "sm:w-[25%] sm:max-w-0",
    cell: (template) => (
      <span className="block truncate text-muted">{inputKinds(readDefinition(template)).join(", ") || "–"}</span>
    ),
  },
};

/** A chip only where something is not as it should be. */
const statusCell = ({ status, rejectedReason, qualityScore }: ListedTemplate) => (
  <span className="inline-flex items-center gap-2">
    {status === "APPROVED" ? <Muted>Approved</Muted> : <StatusChip status={status} />}
    {qualityScore === "GREEN" ? null : <QualityChip score={qualityScore} />}
    {rejectedReason && status === "REJECTED" ? <Muted>{sentenceCase(rejectedReason)}</Muted> : null}
  </span>
);
