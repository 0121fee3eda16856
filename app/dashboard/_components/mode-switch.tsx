import type { Mode } from "@/db/schema/identity";
import { switchMode } from "../actions";

/** Which messages, calls and templates all pages show. */
export function ModeSwitch({ mode }: { mode: Mode }) {
  return (
    <form
      action={switchMode}
      aria-label="Shown mode"
      className="inline-flex rounded-control border border-control p-0.5"
    >
      {(["test", "live"] as const).map((choice) => (
        <button
          key={choice}
          type="submit"
          name="mode"
          value={choice}
          aria-pressed={choice === mode}
          className="min-h-7 rounded-[0.25rem] px-2.5 text-sm text-muted aria-pressed:bg-ink aria-pressed:font-medium aria-pressed:text-page pointer-coarse:min-h-11"
        >
          {choice === "live" ? "Live" : "Test"}
        </button>
      ))}
    </form>
  );
}
