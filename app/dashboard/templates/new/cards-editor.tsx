"use client";

import { Button } from "@/app/_components/button";
import type { DraftButton, DraftHeader, DraftPart } from "@/lib/whatsapp/draft";
import { ENTRIES, MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { BodyEditor, ButtonsEditor, GroupIssue, HeaderEditor } from "./part-editors";

type Props = { cards: DraftPart[]; onChange: (cards: DraftPart[]) => void };

/** The cards of a carousel. All share one shape: a change of a card's media or buttons applies to all. */
export function CardsEditor({ cards, onChange }: Props) {
  const replace = (index: number, some: Partial<DraftPart>) =>
    onChange(cards.map((card, place) => (place === index ? { ...card, ...some } : card)));
  const setHeader = (index: number, header: DraftHeader) =>
    onChange(
      cards.map((card, place) => ({
        ...card,
        header: place === index ? header : card.header.kind === header.kind ? card.header : { ...header, sample: "" },
      })),
    );
  const setButtons = (index: number, buttons: DraftButton[]) =>
    onChange(
      cards.map((card, place) => ({ ...card, buttons: place === index ? buttons : likeShape(card.buttons, buttons) })),
    );

  return (
    <fieldset className="grid gap-4">
      <legend className="mb-1 font-medium">Carousel</legend>
      {cards.length === 0 ? (
        <p className="text-sm text-muted">
          Optional: 2 to 10 cards that people swipe through, each with a picture or a video and one or two buttons.
        </p>
      ) : null}
      {cards.map((card, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a card is its place
        <fieldset key={index} className="grid gap-4 rounded-card border border-hairline p-4">
          <legend className="px-1 text-sm text-muted">Card {index + 1}</legend>
          <HeaderEditor
            at={`cards.${index}.header`}
            header={card.header}
            isCard
            onChange={(header) => setHeader(index, header)}
          />
          <BodyEditor
            at={`cards.${index}.`}
            part={card}
            most={MAX_CHARACTERS.cardBody}
            onChange={(part) => replace(index, part)}
          />
          <ButtonsEditor
            at={`cards.${index}.buttons`}
            buttons={card.buttons}
            most={ENTRIES.templateCardButtons[1]}
            onChange={(buttons) => setButtons(index, buttons)}
          />
          <GroupIssue name={`cards.${index}.shape`} />
          <Button className="justify-self-start" look="quietDanger" onClick={() => onChange(cards.toSpliced(index, 1))}>
            Remove card {index + 1}
          </Button>
        </fieldset>
      ))}
      <GroupIssue name="cards" />
      <Button
        icon="plus"
        className="justify-self-start"
        look="secondary"
        disabled={cards.length >= ENTRIES.cards[1]}
        onClick={() => onChange(cards.length === 0 ? [EMPTY, EMPTY] : [...cards, emptyLike(cards[0] ?? EMPTY)])}
      >
        {cards.length === 0 ? "Add cards" : "Add card"}
      </Button>
    </fieldset>
  );
}

const EMPTY: DraftPart = {
  header: { kind: "image", text: "", sample: "" },
  body: "",
  samples: [],
  buttons: [{ kind: "url", label: "", target: "", sample: "" }],
};

const emptyLike = ({ header, buttons }: DraftPart): DraftPart => ({
  ...EMPTY,
  header: { ...EMPTY.header, kind: header.kind },
  buttons: likeShape([], buttons),
});

/** The kinds of `shape`, with what a card has written already where the kind stays. */
const likeShape = (own: DraftButton[], shape: DraftButton[]): DraftButton[] =>
  shape.map(({ kind }, index) => {
    const before = own[index];
    return before?.kind === kind ? before : { kind, label: "", target: "", sample: "" };
  });
