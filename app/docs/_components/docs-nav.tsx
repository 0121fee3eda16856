"use client";

import { usePathname } from "next/navigation";
import { Link } from "@/app/_components/link";

/** Every page of the docs: in lines above the text, and beside it where there is room. */
export function DocsNav({ pages }: { pages: { href: string; title: string }[] }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Docs">
      <ul className="flex flex-wrap gap-1 border-b border-hairline pb-4 lg:grid lg:gap-0.5 lg:border-0 lg:pb-0">
        {pages.map(({ href, title }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={pathname === href ? "page" : undefined}
              data-inside={pathname === href || pathname.startsWith(`${href}/`)}
              className="flex min-h-8 items-center rounded-control px-2 text-muted hover:bg-hairline/50 hover:text-ink data-[inside=true]:bg-hairline/60 data-[inside=true]:font-medium data-[inside=true]:text-ink pointer-coarse:min-h-11"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
