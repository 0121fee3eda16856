import { invalid } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/is-record";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";
import { interactiveWords } from "./interactive-issues";

type Interactive = Record<string, unknown>;

/** A prefix of WhatsApp's path, and what the caller wrote in its place. */
type Alias = [full: string, given: string];

type Expanded = { interactive: Interactive; aliases: Alias[] };

/**
 * WhatsApp's full `interactive` object, from the parsed JSON of `content`: that object itself, or the short form of
 * a button, list or cta_url. Throws one VALIDATION_ERROR with every broken limit, under the path the caller wrote.
 * Types that are new to us pass through untouched.
 */
export function readInteractive(content: unknown): Interactive {
  if (!isRecord(content)) {
    throw invalid([
      {
        path: "content",
        message: 'The JSON in it is not an object. Send one like {"type":"button","body":"…","buttons":[…]}.',
      },
    ]);
  }
  if (typeof content.type !== "string" || content.type === "") {
    throw invalid([
      { path: "content.type", message: 'is required. It is a string, such as "button", "list" or "cta_url".' },
    ]);
  }
  const schema = INTERACTIVE.get(content.type);
  if (!schema) return content;
  const { interactive, aliases } = expand(content.type, content);
  const { error } = schema.safeParse(interactive, { error: interactiveWords(content.type) });
  // Fields that are new to us pass.
  const issues = (error?.issues ?? [])
    .filter(({ code }) => code !== "unrecognized_keys")
    .map(({ path, message }) => ({ path: asWritten(contentPath(path), aliases), message }));
  if (issues.length > 0) throw invalid(issues);
  return interactive;
}

/** True for the kind of message whose answer closes a flow session. */
export function opensFlowSession(interactive: Interactive): boolean {
  return interactive.type === "flow";
}

const expand = (type: string, content: Interactive): Expanded => {
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
  const { interactive, aliases } = expandTexts(given);
  const [action, actionAliases] = expandAction(type, interactive);
  return { interactive: action, aliases: [...actionAliases, ...aliases] };
};

/** `body`, `footer` and `header` as plain strings. */
const expandTexts = (content: Interactive): Expanded => {
  const parts = ["header", "body", "footer"].filter((part) => typeof content[part] === "string");
  const expanded = parts.map((part) => [
    part,
    part === "header" ? { type: "text", text: content[part] } : { text: content[part] },
  ]);
  return {
    interactive: { ...content, ...Object.fromEntries(expanded) },
    aliases: parts.map((part) => [`content.${part}.text`, `content.${part}`]),
  };
};

const expandAction = (type: string, content: Interactive): [Interactive, Alias[]] => {
  switch (type) {
    case "button":
      return expandButtons(content);
    case "list": {
      if (content.action !== undefined) return [content, []];
      const { button, sections, ...rest } = content;
      return [{ ...rest, action: { button, sections } }, [["content.action", "content"]]];
    }
    case "cta_url": {
      if (content.action !== undefined) return [content, []];
      const { display_text, displayText, url, ...rest } = content;
      const parameters = { display_text: display_text ?? displayText, url };
      const label: Alias[] =
        displayText === undefined ? [] : [["content.action.parameters.display_text", "content.displayText"]];
      return [
        { ...rest, action: { name: "cta_url", parameters } },
        [...label, ["content.action.parameters", "content"]],
      ];
    }
    default:
      return [content, []];
  }
};

/** Buttons stand in `buttons` or `action.buttons`, each as `{id, title}` or as WhatsApp's reply. */
const expandButtons = (content: Interactive): [Interactive, Alias[]] => {
  if (content.action === undefined) {
    const { buttons, ...rest } = content;
    const [replies, aliases] = expandReplies(buttons);
    return [{ ...rest, action: { buttons: replies } }, [...aliases, ["content.action", "content"]]];
  }
  if (!isRecord(content.action)) return [content, []];
  const [buttons, aliases] = expandReplies(content.action.buttons);
  return [{ ...content, action: { ...content.action, buttons } }, aliases];
};

const expandReplies = (buttons: unknown): [replies: unknown, Alias[]] => {
  if (!Array.isArray(buttons)) return [buttons, []];
  const isShort = (button: unknown): button is Interactive => isRecord(button) && button.reply === undefined;
  const aliases = buttons.flatMap((button: unknown, index): Alias[] =>
    isShort(button) ? [[`content.action.buttons[${index}].reply`, `content.action.buttons[${index}]`]] : [],
  );
  return [buttons.map((button: unknown) => (isShort(button) ? toReply(button) : button)), aliases];
};

const toReply = ({ type = "reply", ...reply }: Interactive): Interactive => ({ type, reply });

const contentPath = (path: PropertyKey[]): string =>
  path.reduce<string>((text, step) => text + (typeof step === "number" ? `[${step}]` : `.${String(step)}`), "content");

const asWritten = (path: string, aliases: Alias[]): string =>
  aliases.reduce((written, [full, given]) => {
    const isBelow = written === full || written.startsWith(`${full}.`) || written.startsWith(`${full}[`);
    return isBelow ? given + written.slice(full.length) : written;
  }, path);
