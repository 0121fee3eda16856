import type { Metadata } from "next";
import type { ReactNode } from "react";
import { DOCS_PAGES } from "@/lib/docs/docs-pages";
import { docsSource } from "@/lib/docs/docs-source";
import { SiteHeader } from "../_components/site-header";
import { DocsNav } from "./_components/docs-nav";

export const metadata: Metadata = {
  title: { absolute: "Docs · Switchboard", template: "%s · Docs · Switchboard" },
  alternates: { types: { "application/atom+xml": "/docs/changelog.xml" } },
};

export default function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SiteHeader />
      <div className="mx-auto max-w-[80rem] gap-12 px-4 py-6 sm:px-6 lg:grid lg:grid-cols-[12rem_minmax(0,48rem)] lg:py-12">
        <DocsNav pages={DOCS_PAGES.map((href) => ({ href, title: docsSource(href).title }))} />
        <main id="main" className="min-w-0">
          {children}
        </main>
      </div>
    </>
  );
}
