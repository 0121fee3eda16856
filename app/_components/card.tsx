import type { ComponentProps } from "react";

/** A framed section of a page; `isDanger` for what cannot be undone. */
export function Card({ isDanger, className = "", ...rest }: ComponentProps<"section"> & { isDanger?: boolean }) {
  const border = isDanger ? "border-danger" : "border-hairline";
  return <section {...rest} className={`rounded-card border ${border} p-4 sm:p-5 ${className}`} />;
}
