"use client";

import { useRef } from "react";
import { Button } from "@/app/_components/button";
import { Field, Select, TextArea } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { characterCount } from "@/lib/core/text";
import type { DraftHeader, DraftPart } from "@/lib/whatsapp/draft";
import { MOST_CHARACTERS } from "@/lib/whatsapp/limits";
import { findPlaceholders, textAround } from "@/lib/whatsapp/placeholders";

type HeaderProps = {
  at: string;
  header: DraftHeader;
  /** On a card: a picture or a video, and nothing else. */
  isCard?: boolean;
  onChange: (header: DraftHeader) => void;
};

export function HeaderEditor({ at, header, isCard = false, onChange }: HeaderProps) {
  const { kind, text, sample } = header;
  const isMedia = kind !== "none" && kind !== "text";
  const hasVariable = kind === "text" && findPlaceholders(text).length > 0;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label="Header"
        name={`${at}.kind`}
        value={kind}
        onChange={({ currentTarget }) =>
          onChange({ ...header, kind: KINDS.find((one) => one === currentTarget.value) ?? "none", sample: "" })
        }
      >
        {KINDS.filter((one) => !isCard || one === "image" || one === "video").map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </Select>
      {kind === "text" ? (
        <Field
          label="Header text"
          name={`${at}.text`}
          value={text}
          onChange={({ currentTarget }) => onChange({ ...header, text: currentTarget.value })}
          hint={`${characterCount(text)}/${MOST_CHARACTERS.headerText}, with one {{1}} at most`}
        />
      ) : null}
      {isMedia || hasVariable ? (
        <Field
          label={isMedia ? `Sample ${kind}` : "Sample for {{1}}"}
          name={`${at}.sample`}
          value={sample}
          inputMode={isMedia ? "url" : "text"}
          onChange={({ currentTarget }) => onChange({ ...header, sample: currentTarget.value })}
          hint={isMedia ? "A public address. For the review only: each send brings its own." : "For the review only."}
        />
      ) : null}
    </div>
  );
}

const KINDS = ["none", "text", "image", "video", "document"] as const;
const WORDS = { none: "None", text: "Text", image: "Picture", video: "Video", document: "Document" };

type BodyProps = {
  /** What stands before the fields' names: `cards.0.`. */
  at: string;
  part: Pick<DraftPart, "body" | "samples">;
  most: number;
  onChange: (part: Pick<DraftPart, "body" | "samples">) => void;
};

export function BodyEditor({ at, part: { body, samples }, most, onChange }: BodyProps) {
  const area = useRef<HTMLDivElement>(null);
  const keys = findPlaceholders(body);
  const addVariable = () => {
    const field = area.current?.querySelector("textarea");
    const place = field?.selectionEnd ?? body.length;
    const text = `${body.slice(0, place)}{{${keys.length + 1}}}${body.slice(place)}`;
    onChange({ body: text, samples });
    field?.focus();
  };
  const setSample = (index: number, value: string) =>
    onChange({ body, samples: keys.map((_, place) => (place === index ? value : (samples[place] ?? ""))) });
  return (
    <div ref={area} className="grid gap-4">
      <TextArea
        label="Body"
        name={`${at}body`}
        rows={5}
        dir="auto"
        value={body}
        onChange={({ currentTarget }) => onChange({ body: currentTarget.value, samples })}
        hint={
          <span className="flex flex-wrap justify-between gap-x-4">
            <span>*bold* _italic_ ~strike~ ```mono```</span>
            <span className={`tabular-nums ${characterCount(body) > most ? "text-danger" : ""}`}>
              {characterCount(body)}/{most}
            </span>
          </span>
        }
      />
      <div>
        <Button look="secondary" onClick={addVariable}>
          <Icon name="plus" />
          Add variable
        </Button>
      </div>
      {keys.length > 0 ? (
        <div className="grid gap-4 sm:grid-cols-2">
          {keys.map((key, index) => (
            <Field
              key={key}
              label={`Sample for {{${key}}}`}
              name={`${at}samples.${index}`}
              value={samples[index] ?? ""}
              dir="auto"
              onChange={({ currentTarget }) => setSample(index, currentTarget.value)}
              hint={textAround(body, key)}
            />
          ))}
        </div>
      ) : null}
    </div>
  );
}
