import type { Metadata } from "next";
import type { ReactNode } from "react";
import { SiteHeader } from "../_components/site-header";

export const metadata: Metadata = { title: { default: "Docs · Switchboard", template: "%s · Docs · Switchboard" } };

export default function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto max-w-[80rem] px-4 py-8 sm:px-6 sm:py-12">
        {children}
      </main>
    </>
  );
}
