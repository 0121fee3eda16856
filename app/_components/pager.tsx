import { ButtonLink } from "./button";
import { Icon } from "./icon";

type Props = {
  newer?: string | undefined;
  older?: string | undefined;
  /** Of a list that is not by time. */
  words?: { newer: string; older: string };
};

/** Newer and older pages of a list by time; an absent address is no page. */
export function Pager({ newer, older, words = { newer: "Newer", older: "Older" } }: Props) {
  if (!newer && !older) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between gap-3">
      {newer ? (
        <ButtonLink look="secondary" href={newer}>
          <Icon name="arrowLeft" />
          {words.newer}
        </ButtonLink>
      ) : (
        <span />
      )}
      {older ? (
        <ButtonLink look="secondary" href={older}>
          {words.older}
          <Icon name="arrowRight" />
        </ButtonLink>
      ) : null}
    </nav>
  );
}
