import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { testServers } from "./environment";
import { head, type RawAnswer, rawRequest } from "./raw-http";

/** The id of the server action behind the form of a page that holds this text. */
export const actionIn = (html: string, text: string): string => {
  const form = html.split("<form").find((part) => part.split("</form>", 1)[0]?.includes(text));
  const id = form?.match(/\$ACTION_ID_([0-9a-f]+)/)?.[1];
  if (!id) throw new Error(`no form with "${text}" and an action is on this page`);
  return id;
};

// As long as a browser makes it: undici looks for its bare text, and finds a short one in the values.
const BOUNDARY = "----SwitchboardFormBoundary";
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** The fields of a form as a browser writes them, for a request of the type `MULTIPART`. */
export const multipart = (fields: [name: string, value: string][]): string =>
  [
    ...fields.map(
      ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--${BOUNDARY}--\r\n`,
  ].join("");

/** Posts a page's form as a browser without scripts does, from a page of ours unless `headers` say otherwise. */
export const postAction = (
  action: string,
  { fields = {}, headers = {}, path = "/dashboard" }: PostOptions = {},
): Promise<RawAnswer> => {
  const body = multipart(Object.entries({ [`$ACTION_ID_${action}`]: "", ...fields }));
  return postPage(path, body, { "Content-Type": MULTIPART, ...headers });
};

/** Calls a member's action (`app/…/actions.ts#name`) as the script of a page does, with nothing said before. */
export const callAction = (
  action: string,
  { fields = {}, headers = {}, path = "/dashboard", baseUrl }: CallOptions = {},
): Promise<RawAnswer> => {
  const values = Object.entries(fields).flatMap(([name, given]) =>
    [given].flat().map((value): [string, string] => [`_1_${name}`, value]),
  );
  const given = {
    "Content-Type": MULTIPART,
    Accept: "text/x-component",
    "Next-Action": builtActionId(action),
    ...headers,
  };
  return postPage(path, multipart([...values, ["0", '[null,"$K1"]']]), given, baseUrl);
};

/** What a member's action came to; undefined where the answer is none of an action. */
export const saidByAction = (text: string): Said | undefined => {
  const lines = text.split("\n").flatMap((line) => /^[0-9a-f]+:(\{.*)$/.exec(line)?.[1] ?? []);
  return lines.map((line) => Said.safeParse(JSON.parse(line)).data).find(Boolean);
};

const Said = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), message: z.string(), issues: z.record(z.string(), z.string()) }),
]);
type Said = z.infer<typeof Said>;

const Manifest = z.object({ node: z.record(z.string(), z.object({ filename: z.string(), exportedName: z.string() })) });

/** Every action of the build: its id by its name, such as `app/sign-up/actions.ts#signUp`. */
export const builtActions = (): Record<string, string> => {
  const file = path.join(testServers().build, ".next/server/server-reference-manifest.json");
  const { node } = Manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  return Object.fromEntries(
    Object.entries(node).map(([id, { filename, exportedName }]) => [`${filename}#${exportedName}`, id]),
  );
};

const builtActionId = (action: string): string => {
  const id = builtActions()[action];
  if (!id) throw new Error(`the build has no action ${action}`);
  return id;
};

type PostOptions = {
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  path?: string;
  /** Of another server than the shared one. */
  baseUrl?: string;
};

/** A field that stands several times in the form is a list. */
type CallOptions = Omit<PostOptions, "fields" | "baseUrl"> & {
  fields?: Record<string, string | readonly string[]>;
  baseUrl?: string | undefined;
};

/** Any body to a page; an empty header is not sent. */
export const postPage = async (
  path: string,
  body: string,
  headers: Record<string, string>,
  baseUrl = testServers().baseUrl,
): Promise<RawAnswer> => {
  const all = { Host: new URL(baseUrl).host, Origin: baseUrl, ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  const length = { "Content-Length": `${Buffer.byteLength(body)}` };
  const answer = await rawRequest(baseUrl, `${head(`POST ${path}`, { ...given, ...length })}${body}`);
  if (!answer) throw new Error("no answer");
  return answer;
};
