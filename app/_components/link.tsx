"use client";

import NextLink from "next/link";
import type { ComponentProps } from "react";
import { useAddressInMode } from "./link-mode";

type Props = Omit<ComponentProps<typeof NextLink>, "href"> & { href: string };

/** Every link of the product: within the dashboard it carries the tab's mode. */
export function Link({ href, ...rest }: Props) {
  return <NextLink {...rest} href={useAddressInMode()(href)} />;
}
