import { type ReactNode, useId } from "react";
import { Icon } from "@/app/_components/icon";

/**
 * The actions of a row or of a record behind one button. The browser's own popover: it opens without a script and closes with Esc. Where it can
 * be placed at its button it is, else in the middle. A dialog that an action opens stands in it, so it stays open below.
 */
export function ActionMenu({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className="inline-flex min-h-9 items-center gap-1.5 rounded-control border border-control px-2.5 font-medium pointer-coarse:min-h-11"
      >
        Actions<span className="sr-only">: {label}</span>
        <Icon name="chevron" />
      </button>
      <div id={id} popover="auto" className="action-menu rounded-card border border-hairline bg-page p-2 text-ink">
        <div className="grid min-w-52 gap-1 [&>button,&>form>button]:w-full [&>button,&>form>button]:justify-start [&>button,&>form>button]:border-transparent">
          {children}
        </div>
      </div>
    </>
  );
}
