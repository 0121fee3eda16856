"use client";

import { type ComponentProps, createContext, useContext } from "react";

/** Set in a panel beside a list. The list keeps the page's first heading, so those in the panel are one level lower. */
export const Beside = createContext(false);

/** Of the heading that names what is in the panel. */
export const PANEL_TITLE_ID = "panel-title";

export function Heading({ level, ...rest }: ComponentProps<"h2"> & { level: 1 | 2 }) {
  const isBeside = useContext(Beside);
  if (level === 1) return isBeside ? <h2 {...rest} id={PANEL_TITLE_ID} /> : <h1 {...rest} />;
  return isBeside ? <h3 {...rest} /> : <h2 {...rest} />;
}
