import { Brand } from "@/app/_components/frame";
import { Icon } from "@/app/_components/icon";
import { Link } from "@/app/_components/link";
import type { Member } from "@/lib/auth/member";
import { ROLE_NAMES } from "@/lib/workspaces/roles";
import { signOut } from "../actions";
import { MENU_ID } from "./menu-entries";
import { NavLinks } from "./nav-links";
import { WorkspaceChoices } from "./workspace-choices";

type Props = { member: Member; mayCreateWorkspace: boolean };

/** Beside the page on a wide screen, a drawer over it on a narrow one. */
export function Sidebar({ member, mayCreateWorkspace }: Props) {
  return (
    <aside
      id={MENU_ID}
      aria-label="Workspace and account"
      popover="auto"
      className="fixed inset-y-0 start-0 end-auto m-0 h-dvh w-60 max-w-[85vw] flex-col bg-surface px-3 text-ink backdrop:bg-backdrop open:flex lg:flex"
    >
      <div className="min-h-0 grow overflow-y-auto py-3">
        <div className="px-2 pb-3">
          <Brand href="/dashboard" />
        </div>
        <WorkspaceSwitcher member={member} mayCreate={mayCreateWorkspace} />
        <NavLinks role={member.role} isSetUp={member.workspace.isSetUp} />
      </div>
      <div className="flex shrink-0 items-center gap-2 border-t border-hairline px-2 py-2">
        <Link href="/dashboard/account" className="min-w-0 grow rounded-control hover:text-link">
          <span className="block truncate text-sm font-medium">{member.name}</span>
          <span className="block truncate text-sm text-muted">{member.email}</span>
        </Link>
        <form action={signOut}>
          <button
            type="submit"
            title="Sign out"
            className="-me-2 inline-flex size-9 items-center justify-center rounded-control text-muted hover:text-ink pointer-coarse:size-11"
          >
            <Icon name="signOut" />
            <span className="sr-only">Sign out</span>
          </button>
        </form>
      </div>
    </aside>
  );
}

/** The browser's own popover: it opens without a script, closes with Esc and gives the focus back. */
export function MenuButton() {
  return (
    <button
      type="button"
      popoverTarget={MENU_ID}
      title="Menu"
      className="inline-flex min-h-9 items-center gap-2 rounded-control border border-control px-2.5 font-medium sm:px-3 pointer-coarse:min-h-11"
    >
      <Icon name="menu" />
      <span className="sr-only sm:not-sr-only">Menu</span>
    </button>
  );
}

function WorkspaceSwitcher({ member, mayCreate }: { member: Member; mayCreate: boolean }) {
  const others = member.workspaces.filter(({ id }) => id !== member.workspaceId);
  const current = (
    <span className="min-w-0">
      <span className="block truncate font-semibold">{member.workspace.name}</span>
      <span className="block text-sm text-muted">{ROLE_NAMES[member.role]}</span>
    </span>
  );
  if (others.length === 0 && !mayCreate) return <div className="mb-3 rounded-control px-2">{current}</div>;
  return (
    <details className="mb-3">
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

const MAX_SHOWN = 99;

/** Leads to the alerts, with the number of open ones that this member has not seen. */
export function Bell({ count }: { count: number }) {
  return (
    <Link
      href="/dashboard/alerts"
      title="Alerts"
      className="relative inline-flex size-9 items-center justify-center rounded-control border border-control hover:bg-surface pointer-coarse:size-11"
    >
      <Icon name="bell" />
      <span className="sr-only">{count === 0 ? "Alerts" : `Alerts: ${count} new`}</span>
      {count > 0 ? (
        <span
          aria-hidden="true"
          className="absolute -end-1.5 -top-1.5 min-w-5 rounded-full bg-danger px-1 text-center text-xs leading-5 font-semibold text-page tabular-nums"
        >
          {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
        </span>
      ) : null}
    </Link>
  );
}
