import type { ComponentProps } from "react";

export function Field({ label, name, ...rest }: ComponentProps<"input"> & { label: string; name: string }) {
  return (
    <div className="grid gap-1">
      <label htmlFor={name} className="font-medium">
        {label}
      </label>
      <input
        id={name}
        name={name}
        className="min-h-9 w-full rounded-control border border-control bg-page px-3 text-lg sm:text-base pointer-coarse:min-h-11"
        {...rest}
      />
    </div>
  );
}
