import { Button } from "./button";

/** A step that is not this role's to take, and whose it is. */
export function Unavailable({ step, look, whose }: { step: string; look?: "primary" | "secondary"; whose: string }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Button look={look} disabled>
        {step}
      </Button>
      <span className="text-sm text-muted">{whose}</span>
    </span>
  );
}
