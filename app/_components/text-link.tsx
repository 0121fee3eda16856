import type { ComponentProps } from "react";
import { Link } from "./link";

export function TextLink({ className = "", ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      className={`rounded-sm text-link underline decoration-1 underline-offset-2 hover:decoration-2 ${className}`}
    />
  );
}
