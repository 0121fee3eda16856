import Link from "next/link";
import type { ComponentProps } from "react";

type Look = "primary" | "secondary" | "danger" | "quietDanger";

export function Button({ look = "primary", className = "", ...rest }: ComponentProps<"button"> & { look?: Look }) {
  return <button type="button" {...rest} className={`${SHAPE} ${LOOKS[look]} ${className}`} />;
}

export function ButtonLink({
  look = "primary",
  className = "",
  ...rest
}: ComponentProps<typeof Link> & { look?: Look }) {
  return <Link {...rest} className={`${SHAPE} ${LOOKS[look]} ${className}`} />;
}

const SHAPE =
  "inline-flex min-h-9 items-center justify-center gap-2 rounded-control border px-4 font-medium transition-opacity duration-100 motion-reduce:transition-none hover:opacity-85 disabled:cursor-default disabled:opacity-60 aria-disabled:cursor-default aria-disabled:opacity-60 pointer-coarse:min-h-11";

const LOOKS: Record<Look, string> = {
  primary: "border-accent bg-accent text-on-accent",
  secondary: "border-control bg-page text-ink",
  danger: "border-danger bg-danger text-on-danger",
  quietDanger: "border-control bg-page text-danger",
};
