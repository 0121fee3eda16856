import type { Metadata } from "next";
import { Ago } from "@/app/_components/ago";
import { Button, ButtonLink } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { Link } from "@/app/_components/link";
import { PageMode } from "@/app/_components/link-mode";
import { ListFilters } from "@/app/_components/list-filters";
import { PageHeading } from "@/app/_components/page-heading";
import { Pager } from "@/app/_components/pager";
import { QualityChip, TemplateStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { requireMember, shownMode } from "@/lib/auth/page-member";
import { sentenceCase } from "@/lib/core/text";
import { readDefinition } from "@/lib/templates/definition";
import { inputKinds } from "@/lib/templates/input-kinds";
import { listLastUses, listTemplates, readFacets } from "@/lib/templates/queries";
import { can, whoCan } from "@/lib/workspaces/roles";
import { SyncForm } from "./_components/sync-form";
import { afterOf, PAGE_SIZE, readTemplateFilter, templatesHref } from "./list-address";

export const metadata: Metadata = { title: "Templates" };

export default async function TemplatesPage({ searchParams }: PageProps<"/dashboard/templates">) {
  const member = await requireMember();
  const { workspaceId } = member;
  const mode = await shownMode(member, searchParams);
  const { after, ...filter } = readTemplateFilter(await searchParams);
  const [facets, found] = await Promise.all([
    readFacets(workspaceId, mode),
    listTemplates(workspaceId, { mode, ...filter }, { limit: PAGE_SIZE + 1, after }),
  ]);
  const templates = found.slice(0, PAGE_SIZE);
  const uses = await listLastUses(workspaceId, { mode, sent: templates });
  const last = templates.at(-1);
  return (
    <>
      <PageMode mode={mode} />
      <PageHeading
        title="Templates"
        actions={
          <div className="grid justify-items-start gap-3 sm:justify-items-end">
            <NewTemplate isAllowed={can(member.role, "createTemplate")} />
            <SyncForm workspaceId={workspaceId} mode={mode}>
              {facets.syncedAt ? (
                <span>
                  Synced <Ago at={facets.syncedAt} />
                </span>
              ) : (
                "Not synced yet"
              )}
            </SyncForm>
          </div>
        }
      >
        One row per name and language. Only approved templates can be sent, in exactly the language shown.
      </PageHeading>
      {facets.count > 0 ? (
        <ListFilters
          path="/dashboard/templates"
          search={{ value: filter.search, label: "Search by name", placeholder: "Search by name" }}
          filters={[
            { name: "status", label: "Status", value: filter.status, options: asOptions(facets.statuses) },
            { name: "category", label: "Category", value: filter.category, options: asOptions(facets.categories) },
            {
              name: "language",
              label: "Language",
              value: filter.language,
              options: facets.languages.map((value) => ({ value, word: value })),
            },
          ]}
        />
      ) : null}
      {facets.count === 0 ? (
        <EmptyState title={`No ${mode} templates on this account`}>
          Sync reads those that the line’s business account has on WhatsApp;{" "}
          <TextLink href="/dashboard/templates/new">a new one</TextLink> is sent there for review. Text messages need no
          template.
        </EmptyState>
      ) : templates.length === 0 ? (
        <EmptyState title="No template matches">
          <TextLink href="/dashboard/templates">Clear the filters</TextLink> to see all {facets.count}.
        </EmptyState>
      ) : (
        <DataTable
          caption={`Templates in ${mode} mode`}
          rows={templates}
          rowKey={({ id }) => id}
          columns={[
            {
              heading: "Name",
              className: "sm:min-w-48",
              cell: ({ id, name }) => (
                <Link
                  href={`/dashboard/templates/${id}`}
                  className="line-clamp-2 rounded-sm font-mono text-sm wrap-anywhere text-link underline decoration-1 underline-offset-2"
                >
                  {name}
                </Link>
              ),
            },
            { heading: "Language", cell: ({ language }) => <code className="font-mono text-sm">{language}</code> },
            {
              heading: "Status",
              cell: ({ status, rejectedReason, qualityScore }) => (
                <>
                  <span className="inline-flex flex-wrap gap-1 xl:flex-nowrap">
                    <TemplateStatusChip status={status} />
                    <QualityChip score={qualityScore} />
                  </span>
                  {rejectedReason && status === "REJECTED" ? (
                    <p className="mt-1 text-xs text-muted">{sentenceCase(rejectedReason)}</p>
                  ) : null}
                </>
              ),
            },
            { heading: "Category", cell: ({ category }) => sentenceCase(category) },
            {
              heading: "Inputs",
              className: "sm:min-w-28",
              cell: (template) =>
                inputKinds(readDefinition(template)).join(", ") || <span className="text-muted">None</span>,
            },
            {
              heading: "Last used",
              cell: ({ id }) => {
                const at = uses.get(id);
                return at ? <Ago at={at} /> : <span className="whitespace-nowrap text-muted">Not in 30 days</span>;
              },
            },
          ]}
        />
      )}
      <Pager
        words={{ newer: "First page", older: "Next page" }}
        newer={after ? templatesHref(filter) : undefined}
        older={found.length > PAGE_SIZE && last ? templatesHref(filter, afterOf(last)) : undefined}
      />
    </>
  );
}

function NewTemplate({ isAllowed }: { isAllowed: boolean }) {
  if (!isAllowed) {
    return (
      <div className="grid justify-items-start gap-1 sm:justify-items-end">
        <Button disabled>New template</Button>
        <p className="text-sm text-muted">{whoCan("createTemplate")}</p>
      </div>
    );
  }
  return (
    <ButtonLink href="/dashboard/templates/new">
      <Icon name="plus" />
      New template
    </ButtonLink>
  );
}

const asOptions = (words: string[]) => words.map((value) => ({ value, word: sentenceCase(value) }));
