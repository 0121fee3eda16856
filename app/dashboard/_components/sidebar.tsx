import { Brand } from "@/app/_components/brand";
import { Icon } from "@/app/_components/icon";
import { Link } from "@/app/_components/link";
import type { Member } from "@/lib/auth/member";
import { signOut } from "../actions";
import { MENU_ID } from "./menu-button";
import { NavLinks } from "./nav-links";
import { absentFor } from "./secret-areas";
import { WorkspaceSwitcher } from "./workspace-switcher";

/** Beside the page on a wide screen, a drawer over it on a narrow one. */
export function Sidebar({ member, mayCreateWorkspace }: { member: Member; mayCreateWorkspace: boolean }) {
  return (
    <div
      id={MENU_ID}
      popover="auto"
      className="fixed inset-y-0 start-0 end-auto m-0 h-dvh w-60 max-w-[85vw] flex-col overflow-y-auto border-e border-hairline bg-surface p-3 text-ink backdrop:bg-backdrop open:flex lg:flex"
    >
      <div className="px-2 pt-1 pb-4">
        <Brand href="/dashboard" />
      </div>
      <WorkspaceSwitcher member={member} mayCreate={mayCreateWorkspace} />
      <NavLinks absent={absentFor(member.role)} />
      <div className="mt-auto border-t border-hairline px-2 pt-3">
        <Link href="/dashboard/account" className="block rounded-control hover:text-link">
          <span className="block truncate font-medium">{member.name}</span>
          <span className="block truncate text-xs text-muted">{member.email}</span>
        </Link>
        <form action={signOut}>
          <button
            type="submit"
            className="mt-2 -ms-2 inline-flex min-h-9 items-center gap-2 rounded-control px-2 text-muted hover:text-ink pointer-coarse:min-h-11"
          >
            <Icon name="signOut" />
            Sign out
          </button>
        </form>
      </div>
    </div>
  );
}
