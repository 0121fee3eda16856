"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Link } from "@/app/_components/link";
import { InlineCode } from "@/app/_components/text";

export type OutlineHeading = { id: string; title: string; depth: 2 | 3 };

type Props = {
  headings: OutlineHeading[];
  /** The text takes two columns, so that there is less room beside it. */
  isWide: boolean;
};

/** A heading above this part of the window is being read. */
const READ_ABOVE = 0.3;

/** The page's headings beside the text, with the one that is being read marked. */
export function Outline({ headings, isWide }: Props) {
  const current = useCurrentHeading(headings);
  return (
    <nav
      aria-labelledby="outline-title"
      className={`sticky top-8 hidden max-h-[calc(100dvh-4rem)] self-start overflow-y-auto ${isWide ? "2xl:block" : "xl:block"}`}
    >
      <p id="outline-title" className="mb-1 ps-3.5 text-sm font-medium">
        On this page
      </p>
      <Headings headings={headings} current={current} />
    </nav>
  );
}

/** The same above the text, folded, if there is no room beside it. */
export function FoldedOutline({ headings, isWide }: Props) {
  return (
    <nav aria-label="On this page" className={`mt-4 ${isWide ? "2xl:hidden" : "xl:hidden"}`}>
      <details className="rounded-card border border-hairline px-4 py-2.5">
        <summary className="rounded-sm text-sm font-medium pointer-coarse:py-2.5">On this page</summary>
        <div className="mt-2 -ms-3">
          <Headings headings={headings} />
        </div>
      </details>
    </nav>
  );
}

function Headings({ headings, current }: { headings: OutlineHeading[]; current?: string }) {
  return (
    <ul className="grid text-sm">
      {headings.map(({ id, title, depth }) => (
        <li key={id} className="min-w-0">
          <a
            href={`#${id}`}
            aria-current={id === current ? "location" : undefined}
            className={`block rounded-sm border-s-2 border-transparent py-1 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:py-3 ${depth === 3 ? "ps-6" : "ps-3"}`}
          >
            <InlineCode text={title} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function useCurrentHeading(headings: OutlineHeading[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const places = headings.flatMap(({ id }) => document.getElementById(id) ?? []);
    const update = () => {
      const limit = window.innerHeight * READ_ABOVE;
      setCurrent(places.findLast((place) => place.getBoundingClientRect().top <= limit)?.id);
    };
    const observer = new IntersectionObserver(update, { rootMargin: `0px 0px -${(1 - READ_ABOVE) * 100}% 0px` });
    for (const place of places) observer.observe(place);
    return () => observer.disconnect();
  }, [headings]);
  return current;
}

type DocsNavProps = { groups: { name: string; pages: { href: string; title: string }[] }[] };

/** Every page of the docs: beside the text in groups if there is room, else above it in one line. */
export function DocsNav({ groups }: DocsNavProps) {
  const pathname = usePathname();
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    const chosen = line.current?.querySelector<HTMLElement>(`[href="${CSS.escape(pathname)}"]`);
    if (chosen) line.current?.scrollTo({ left: chosen.offsetLeft - line.current.offsetLeft });
  }, [pathname]);
  return (
    <nav
      ref={line}
      aria-label="Docs"
      className="flex gap-1 border-b border-hairline pb-2 max-lg:overflow-x-auto lg:grid lg:gap-4 lg:border-0 lg:pb-0"
    >
      {groups.map(({ name, pages }) => (
        <div key={name} className="contents lg:block">
          <p className="mb-1 px-2 text-sm text-muted max-lg:sr-only">{name}</p>
          <ul aria-label={name} className="flex gap-1 lg:grid lg:gap-0.5">
            {pages.map(({ href, title }) => (
              <li key={href}>
                <Link
                  href={href}
                  aria-current={pathname === href ? "page" : undefined}
                  data-inside={pathname === href || pathname.startsWith(`${href}/`)}
                  className="flex min-h-8 items-center rounded-control px-2 whitespace-nowrap text-muted hover:bg-hairline/50 hover:text-ink data-[inside=true]:bg-hairline/60 data-[inside=true]:font-medium data-[inside=true]:text-ink focus-visible:-outline-offset-2 lg:whitespace-normal pointer-coarse:min-h-11"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
