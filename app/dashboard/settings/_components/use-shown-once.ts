import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";

/**
 * The dialog of a form that makes a secret, and the secret itself: `show` closes the dialog and keeps it, `done` forgets it
 * and reads the page again, which must not happen while it is shown.
 */
export function useShownOnce<T>(opensAtOnce = false) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(opensAtOnce);
  const [secret, setSecret] = useState<T | null>(null);
  const open = useCallback(() => setIsOpen(true), []);
  const close = useCallback(() => setIsOpen(false), []);
  const show = (made: T) => {
    setSecret(made);
    close();
  };
  const done = () => {
    setSecret(null);
    router.refresh();
  };
  return { isOpen, open, close, secret, show, done };
}
