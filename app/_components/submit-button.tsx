"use client";

import type { ComponentProps } from "react";
import { useFormStatus } from "react-dom";
import { Button } from "./button";

/** Stays in the tab order while the form is on its way, and says that it is. */
export function SubmitButton({
  children,
  busy = "Saving…",
  ...rest
}: ComponentProps<typeof Button> & { busy?: string }) {
  const { pending } = useFormStatus();
  return (
    <Button
      {...rest}
      type="submit"
      aria-disabled={pending || rest["aria-disabled"]}
      onClick={(event) => (pending ? event.preventDefault() : rest.onClick?.(event))}
    >
      {pending ? busy : children}
    </Button>
  );
}
