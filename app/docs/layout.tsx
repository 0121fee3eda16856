import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { areShortcutsOn, SHORTCUTS_COOKIE } from "@/lib/auth/choice-cookies";
import { DOCS_GROUPS, docsSource } from "@/lib/docs/docs-pages";
import { SiteHeader } from "../_components/frame";
import { DocsSearch } from "./_components/docs-search";
import { DocsNav } from "./_components/outline";

export const metadata: Metadata = {
  title: { absolute: "Docs · Switchboard", template: "%s · Docs · Switchboard" },
};

export default async function DocsLayout({ children }: { children: ReactNode }) {
  const hasShortcut = areShortcutsOn((await cookies()).get(SHORTCUTS_COOKIE)?.value);
  return (
    <>
      <SiteHeader isWide />
      <div className="mx-auto max-w-[80rem] gap-12 px-4 py-6 sm:px-6 2xl:max-w-[96rem] lg:grid lg:grid-cols-[12rem_minmax(0,1fr)] lg:py-12">
        <div className="mb-8 lg:sticky lg:top-8 lg:z-10 lg:mb-0 lg:self-start">
          <DocsSearch hasShortcut={hasShortcut} />
          <DocsNav
            groups={Object.entries(DOCS_GROUPS).map(([name, pages]) => ({
              name,
              pages: pages.map((href) => ({ href, title: docsSource(href).title })),
            }))}
          />
        </div>
        <main id="main" className="min-w-0">
          {children}
        </main>
      </div>
    </>
  );
}
