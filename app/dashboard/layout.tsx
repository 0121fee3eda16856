import type { Metadata } from "next";
import type { ReactNode } from "react";
import { Brand } from "@/app/_components/brand";
import { requireMember } from "@/lib/auth/page-member";
import { MenuButton } from "./_components/menu-button";
import { Sidebar } from "./_components/sidebar";

export const generateMetadata = async (): Promise<Metadata> => {
  const { workspace } = await requireMember();
  return { title: { default: `Overview · ${workspace.name}`, template: `%s · ${workspace.name}` } };
};

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const member = await requireMember();
  return (
    <div className="lg:ps-60">
      <header className="sticky top-0 z-10 flex items-center justify-between gap-4 border-b border-hairline bg-page px-4 py-2 lg:hidden">
        <Brand href="/dashboard" />
        <MenuButton />
      </header>
      <Sidebar member={member} />
      <main id="main" className="mx-auto max-w-[80rem] px-4 py-6 sm:px-6 lg:py-8">
        {children}
      </main>
    </div>
  );
}
