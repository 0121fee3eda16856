"use client";

import NextLink, { useLinkStatus } from "next/link";
import type { ComponentProps } from "react";
import { createPortal } from "react-dom";
import { useAddressInMode } from "./link-mode";
import { Progress } from "./progress";

type Props = Omit<ComponentProps<typeof NextLink>, "href"> & { href: string };

/** Every link of the product: within the dashboard it carries the tab's mode. */
export function Link({ href, children, ...rest }: Props) {
  return (
    <NextLink {...rest} href={useAddressInMode()(href)}>
      {children}
      <LinkProgress />
    </NextLink>
  );
}

/** Outside of the link: it is no part of the link's name, and shows when the link's menu has closed. */
function LinkProgress() {
  return useLinkStatus().pending ? createPortal(<Progress />, document.body) : null;
}
