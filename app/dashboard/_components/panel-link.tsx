"use client";

import { usePathname } from "next/navigation";
import type { ComponentProps } from "react";
import { TextLink } from "@/app/_components/text-link";

type Props = Omit<ComponentProps<typeof TextLink>, "href"> & { href: string };

/** A row's link to its detail, which opens beside the list where there is room for both, and as a page elsewhere. */
export function PanelLink({ href, ...rest }: Props) {
  const here = usePathname();
  return (
    <TextLink
      {...rest}
      href={href}
      prefetch={false}
      scroll={false}
      // One Back leads to the list, however many rows were looked at.
      replace={here !== href.slice(0, href.lastIndexOf("/"))}
      aria-current={here === href ? "true" : undefined}
      data-opens-panel={href}
    />
  );
}

export function panelLinkTo(path: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`a[data-opens-panel="${CSS.escape(path)}"]`);
}
