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

/** Posts a page's form as a browser without scripts does, from a page of ours unless `headers` say otherwise. */
export const postAction = (
  action: string,
  { fields = {}, headers = {}, path = "/dashboard" }: PostOptions = {},
): Promise<RawAnswer> => {
  const parts = Object.entries({ [`$ACTION_ID_${action}`]: "", ...fields }).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return postPage(path, `${parts.join("")}--${BOUNDARY}--\r\n`, {
    "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`,
    ...headers,
  });
};

type PostOptions = { fields?: Record<string, string>; headers?: Record<string, string>; path?: string };

/** Any body to a page; an empty header is not sent. */
export const postPage = async (path: string, body: string, headers: Record<string, string>): Promise<RawAnswer> => {
  const { baseUrl, environment } = testServers();
  const all = { Host: new URL(baseUrl).host, Origin: environment.APP_URL ?? "", ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  const length = { "Content-Length": `${Buffer.byteLength(body)}` };
  const answer = await rawRequest(baseUrl, `${head(`POST ${path}`, { ...given, ...length })}${body}`);
  if (!answer) throw new Error("no answer");
  return answer;
};
