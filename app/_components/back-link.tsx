"use client";

import { type ReactNode, useContext } from "react";
import { Beside } from "./heading";
import { TextLink } from "./text-link";

/** From a detail's page to its list, beside which there is no need of it. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  if (useContext(Beside)) return null;
  return (
    <p className="mb-2 text-sm">
      <TextLink href={href}>{children}</TextLink>
    </p>
  );
}
