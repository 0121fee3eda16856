import { Icon } from "@/app/_components/icon";
import type { Member } from "@/lib/auth/member";
import { switchWorkspace } from "../actions";

export function WorkspaceSwitcher({ member }: { member: Member }) {
  const others = member.workspaces.filter(({ id }) => id !== member.workspaceId);
  const current = (
    <span className="min-w-0">
      <span className="block truncate font-semibold">{member.workspace.name}</span>
      <span className="block text-xs text-muted">{ROLE_NAMES[member.role]}</span>
    </span>
  );
  if (others.length === 0) return <div className="mb-4 rounded-control px-2">{current}</div>;
  return (
    <details className="mb-4">
      <summary className="flex list-none items-center justify-between gap-2 rounded-control border border-hairline bg-page px-2 py-1 [&::-webkit-details-marker]:hidden">
        {current}
        <Icon name="chevron" className="text-muted" />
      </summary>
      <form action={switchWorkspace} className="mt-1 grid rounded-control border border-hairline bg-page p-1">
        {others.map(({ id, name }) => (
          <button
            key={id}
            type="submit"
            name="workspaceId"
            value={id}
            className="min-h-9 rounded-control px-2 text-start hover:bg-surface pointer-coarse:min-h-11"
          >
            <span className="sr-only">Switch to </span>
            {name}
          </button>
        ))}
      </form>
    </details>
  );
}

const ROLE_NAMES = { owner: "Owner", admin: "Admin", member: "Member" } as const;
