import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { Brand } from "@/app/_components/frame";
import { TabMode } from "@/app/_components/link";
import { MomentDetails } from "@/app/_components/moment-details";
import { areShortcutsOn, SHORTCUTS_COOKIE } from "@/lib/auth/choice-cookies";
import { mayCreateWorkspace } from "@/lib/auth/member";
import { currentUser, defaultMode, requireMember } from "@/lib/auth/page-member";
import { CommandMenu } from "./_components/command-menu";
import { ModeSwitch } from "./_components/nav-links";
import { Bell, MenuButton, Sidebar } from "./_components/sidebar";
import { WorkspaceNotice } from "./_components/workspace-choices";

export async function generateMetadata(): Promise<Metadata> {
  const { workspace } = await requireMember();
  return { title: { default: `Overview · ${workspace.name}`, template: `%s · ${workspace.name}` } };
}

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const member = await requireMember();
  const shortcuts = (await cookies()).get(SHORTCUTS_COOKIE)?.value;
  return (
    <TabMode standard={defaultMode(member)}>
      <div className="lg:ps-60">
        <header className="sticky top-0 z-10 flex min-h-14 items-center justify-between gap-3 border-b border-hairline bg-page px-4 py-2 sm:px-6">
          <div className="lg:hidden">
            <Brand href="/dashboard" isShort />
          </div>
          <div className="ms-auto flex items-center gap-2 sm:gap-3">
            <CommandMenu
              workspaceId={member.workspaceId}
              workspaces={member.workspaces.filter(({ id }) => id !== member.workspaceId)}
              role={member.role}
              hasShortcuts={areShortcutsOn(shortcuts)}
            />
            <Bell count={member.unseenAlerts} />
            <ModeSwitch />
            <div className="lg:hidden">
              <MenuButton />
            </div>
          </div>
        </header>
        <Sidebar member={member} mayCreateWorkspace={await mayCreateWorkspace(await currentUser())} />
        <main id="main" className="mx-auto max-w-[80rem] px-4 py-6 sm:px-6 lg:py-8">
          <WorkspaceNotice name={member.workspace.name} />
          {children}
        </main>
        <MomentDetails timeZone={member.workspace.timeZone} />
      </div>
    </TabMode>
  );
}
