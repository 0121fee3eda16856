import { Icon } from "@/app/_components/icon";

export const MENU_ID = "menu";

/** The browser's own popover: it opens without a script, closes with Esc and gives the focus back. */
export function MenuButton() {
  return (
    <button
      type="button"
      popoverTarget={MENU_ID}
      title="Menu"
      className="inline-flex min-h-9 items-center gap-2 rounded-control border border-control px-2.5 font-medium sm:px-3 pointer-coarse:min-h-11"
    >
      <Icon name="menu" />
      <span className="sr-only sm:not-sr-only">Menu</span>
    </button>
  );
}
