"use client";

import { type ReactNode, useCallback, useEffect, useId, useRef } from "react";
import { Icon } from "./icon";

type Props = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Neither Esc nor the backdrop close it: only a button of its own does. */
  isGuarded?: boolean;
  children: ReactNode;
};

/** The browser's own modal dialog: it holds the focus, and gives it back to what opened it. */
export function Dialog({ title, isOpen, onClose, isGuarded = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (isOpen && !element.open) {
      element.showModal();
      // The browser would choose Close, which a typed space presses. Where nothing is typed, no key may press anything.
      (element.querySelector<HTMLElement>(TYPED_INTO) ?? element).focus();
    }
    if (!isOpen && element.open) element.close();
  }, [isOpen]);
  const dismiss = useCallback(() => (isGuarded ? undefined : onClose()), [isGuarded, onClose]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the keyboard's way, and arrives as `cancel`
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        dismiss();
      }}
      onClose={onClose}
      onClick={(event) => (event.target === dialog.current ? dismiss() : undefined)}
      className="m-auto w-[min(36rem,calc(100vw-2rem))] rounded-card border border-hairline bg-page p-0 text-ink outline-none backdrop:bg-backdrop"
    >
      {isOpen ? (
        <div className="p-5 sm:p-6">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={heading} className="text-lg font-semibold">
              {title}
            </h2>
            {isGuarded ? null : <CloseButton onClose={onClose} />}
          </div>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}

const TYPED_INTO = "input:not([type=hidden], [type=radio], [type=checkbox]), textarea";

type CloseButtonProps = {
  onClose: () => void;
  title?: string;
};

/** The cross in the corner of what lies over a page. */
export function CloseButton({ onClose, title = "Close" }: CloseButtonProps) {
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
