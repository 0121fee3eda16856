import { characterCount } from "@/lib/core/text";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import type { MediaFormat } from "@/lib/whatsapp/message-payload";
import { splitAtPlaceholders, substitute } from "@/lib/whatsapp/placeholders";
import type { SlottedText, TemplateButton, TemplateDefinition, TemplatePart } from "./definition";
import { type Piece, type Run, readMarks } from "./text-marks";
import { cardKey, HEADER_ID, HEADER_LINK } from "./variable-keys";

export type PreviewHeader =
  | { kind: "text"; runs: Run[] }
  /** `source` is the link or media id given so far. */
  | { kind: "media"; format: MediaFormat; source: string | null }
  | { kind: "other"; format: string };

export type PreviewButton = {
  kind: TemplateButton["kind"];
  label: string;
  /** The link target or copied text; empty for other buttons. */
  target: Run[];
};

export type PreviewPart = {
  header: PreviewHeader | null;
  body: Run[];
  /** Of the body with its values filled in. */
  characters: { used: number; most: number };
  buttons: PreviewButton[];
};

export type Preview = PreviewPart & { offer: string | null; footer: string | null; cards: PreviewPart[] };

/** Renders the message as its reader will see it with the given values, by the keys of a send. */
export function previewTemplate(definition: TemplateDefinition, values: ReadonlyMap<string, string>): Preview {
  return {
    ...previewPart(definition, (key) => values.get(key), { most: MAX_CHARACTERS.body, keyOf: (key) => key }),
    offer: definition.offer,
    footer: definition.footer,
    cards: definition.cards.map((card, index) => {
      const keyOf = (key: string) => cardKey(index, key);
      return previewPart(card, (key) => values.get(keyOf(key)), { most: MAX_CHARACTERS.cardBody, keyOf });
    }),
  };
}

type Value = (key: string) => string | undefined;
type Scope = { most: number; keyOf: (key: string) => string };

const previewPart = ({ header, body, buttons }: TemplatePart, value: Value, scope: Scope): PreviewPart => ({
  header: header && previewHeader(header, value, scope),
  body: body ? readMarks(pieces(body.text, value, scope)) : [],
  characters: { used: body ? filledLength(body, value) : 0, most: scope.most },
  buttons: buttons.map((button) => ({
    kind: button.kind,
    label: button.label,
    target: plain(targetOf(button, value, scope)),
  })),
});

function previewHeader(
  header: NonNullable<TemplatePart["header"]>,
  value: Value,
  scope: Scope,
): NonNullable<PreviewPart["header"]> {
  switch (header.kind) {
    case "text":
      return { kind: "text", runs: plain(pieces(header.text, value, scope)) };
    case "media":
      return { kind: "media", format: header.format, source: value(HEADER_LINK) || value(HEADER_ID) || null };
    case "other":
      return header;
  }
}

function targetOf(button: TemplateButton, value: Value, scope: Scope): Piece[] {
  if (button.kind === "fixed") return button.target === null ? [] : [{ text: button.target }];
  return button.kind === "url" && button.url !== null ? pieces(button.url, value, scope) : [];
}

const pieces = (text: string, value: Value, { keyOf }: Scope): Piece[] =>
  splitAtPlaceholders(text).map((part) => {
    if ("text" in part) return part;
    const given = value(part.key);
    return given ? { text: given } : { slot: keyOf(part.key) };
  });

/** Headers and URLs are shown without text formatting. */
const plain = (some: Piece[]): Run[] => some.map((piece) => ({ text: "", slot: null, marks: [], ...piece }));

const filledLength = ({ text, slots }: SlottedText, value: Value): number =>
  characterCount(substitute(text, new Map(slots.map(({ key }) => [key, value(key) ?? ""]))));
