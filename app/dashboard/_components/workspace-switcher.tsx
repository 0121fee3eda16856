import { Icon } from "@/app/_components/icon";
import { Link } from "@/app/_components/link";
import type { Member } from "@/lib/auth/member";
import { ROLE_NAMES } from "@/lib/workspaces/roles";
import { WorkspaceChoices } from "./workspace-choices";

export function WorkspaceSwitcher({ member, mayCreate }: { member: Member; mayCreate: boolean }) {
  const others = member.workspaces.filter(({ id }) => id !== member.workspaceId);
  const current = (
    <span className="min-w-0">
      <span className="block truncate font-semibold">{member.workspace.name}</span>
      <span className="block text-xs text-muted">{ROLE_NAMES[member.role]}</span>
    </span>
  );
  if (others.length === 0 && !mayCreate) return <div className="mb-4 rounded-control px-2">{current}</div>;
  return (
    <details className="mb-4">
      <summary className="flex list-none items-center justify-between gap-2 rounded-control border border-hairline bg-page px-2 py-1 [&::-webkit-details-marker]:hidden">
        {current}
        <Icon name="chevron" className="text-muted" />
      </summary>
      <div className="mt-1 grid rounded-control border border-hairline bg-page p-1">
        {others.length > 0 ? <WorkspaceChoices workspaces={others} /> : null}
        {mayCreate ? (
          <Link
            href="/workspaces/new"
            className="flex min-h-9 items-center gap-2 rounded-control px-2 text-muted hover:bg-surface hover:text-ink pointer-coarse:min-h-11"
          >
            <Icon name="plus" />
            Create workspace
          </Link>
        ) : null}
      </div>
    </details>
  );
}
