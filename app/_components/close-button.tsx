import { Icon } from "./icon";

type Props = {
  onClose: () => void;
  title?: string;
};

/** The cross in the corner of what lies over a page. */
export function CloseButton({ onClose, title = "Close" }: Props) {
  return (
    <button
      type="button"
      onClick={onClose}
      aria-label="Close"
      title={title}
      className="-my-1 -me-2 inline-flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:text-ink pointer-coarse:-my-2.5 pointer-coarse:size-11"
    >
      <Icon name="cross" />
    </button>
  );
}
