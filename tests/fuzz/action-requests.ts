import fc, { type Arbitrary } from "fast-check";
import { MULTIPART, multipart } from "../support/actions";
import { ENDINGS } from "../support/hang-ups";
import type { FuzzRequest } from "./grammar";
import { json, text, type Vocabulary, wordsOf } from "./values";

const METHODS = wordsOf("POST POST POST POST POST POST PUT PATCH DELETE OPTIONS GET HEAD");
const PATHS = wordsOf(`
  / /docs /docs/quickstart /sign-in /sign-up /set-up /invite/x /workspaces/new /no-such-page
  /dashboard /dashboard/contacts /dashboard/messages /dashboard/settings/members /dashboard/nothing
  /samples/chair.png /samples/x /icon.svg /icon.svgx /openapi.json /llms.txtx /docs.md /docs/x.md /docs/client.ts
  /docs/search-index.json /sitemap.xml /robots.txtx /_next/static/x.js /_next/image /markdown/docs /%73amples/x /docs/
`);

/** React's encodings of what it sends to a server, ours and those that attack its reader. */
const ENCODED = [
  ...wordsOf(`
    $K1 $K1 $K1 $K $Kzz $undefined $$ $D2026-01-01 $Dx $-0 $NaN $I $T $H1 $1 $0 $1:a:b $1:__proto__:then
    $1:constructor:constructor $@0 $@1 $@x $F1 $h1 $i1 $Q1 $W1 $B1 $R1 $r1 $X1 $x1 $A1 $V1 $n1 $S $Y1 $ $Z
  `),
  `$n${"9".repeat(400)}`,
];

const value: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...ENCODED),
    json,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom(...wordsOf("then status value _response id bound"))), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;

/** Lists of arguments as a page of ours sends them, and any other. */
const argumentsText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('["$K1"]', '[null,"$K1"]', '[{"ok":false,"message":"$$1"},"$K1"]') },
  { weight: 4, arbitrary: fc.array(value, { maxLength: 4 }).map((list) => JSON.stringify(list)) },
  { weight: 1, arbitrary: value.map((one) => JSON.stringify(one) ?? "") },
  fc.nat(3_000).map((depth) => `[${"[".repeat(depth)}${"]".repeat(depth)},"$K1"]`),
  fc.constantFrom("", "[", "[]", "[null]", "[null,{}]", "null", `[${"null,".repeat(1_500)}"$K1"]`),
);

const FIELDS = wordsOf(`
  workspaceId name email password label phone contactId phoneNumberId mode draft rows role userId token messageId eventId
  days theme shortcuts limit accessToken current
`);

type Pairs = [name: string, value: string][];

const HEADERS: Pairs = [
  ["RSC", "1"],
  ["Next-Router-Prefetch", "1"],
  ["Next-Url", "/dashboard"],
  ["X-Action-Forwarded", "1"],
  ["Next-Router-State-Tree", "%5B%22%22%5D"],
  ["Next-Router-State-Tree", "x"],
  ["Next-Resume", "1"],
  ["X-Middleware-Subrequest", "proxy"],
  ["X-Middleware-Prefetch", "1"],
  ["X-Nextjs-Data", "1"],
  ["Content-Encoding", "gzip"],
  ["Expect", "100-continue"],
  ["Upgrade", "h2c"],
  ["Range", "bytes=0-1"],
  ["Next-Router-Segment-Prefetch", "/_tree"],
  ["X-Prerender-Revalidate", "x"],
];

/** POSTs and the like to pages and files, with actions of the build and made-up ones, and clients that hang up. */
export const actionRequests = (words: Vocabulary): Arbitrary<FuzzRequest> => {
  const id = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...words.actions) },
    fc.constantFrom("", "x", "7f".padEnd(42, "0"), "toString", "__proto__", "7".repeat(42), "7f".repeat(500)),
  );
  const fieldValue = fc.oneof(
    text,
    fc.constantFrom(words.workspaceId, words.contactId, words.phoneNumberId, words.messageId),
  );
  const fields = fc
    .array(fc.tuple(fc.constantFrom(...FIELDS), fieldValue), { maxLength: 6 })
    .map((pairs): Pairs => pairs.map(([name, given]) => [`_1_${name}`, given.toWellFormed()]));
  const call = fc.tuple(fields, argumentsText).map(([given, list]) => multipart([...given, ["0", list]]));
  const plainForm = fc
    .tuple(id, fc.constantFrom("1", "2", "é", "1:0", ""), fc.option(argumentsText), fields, fc.nat(3))
    .map(([action, key, state, given, kind]): Pairs => {
      const mark: Pairs = kind === 0 ? [[`$ACTION_ID_${action}`, ""]] : [[`$ACTION_REF_${key}`, ""]];
      const bound: Pairs = kind === 0 ? [] : [[`$ACTION_${key}:0`, `{"id":"${action}","bound":"$@${kind}"}`]];
      const states: Pairs = state === null ? [] : [[`$ACTION_${key}:1`, state]];
      return [...mark, ...bound, ...states, ["$ACTION_KEY", "k1"], ...given];
    })
    .map(multipart);
  const torn = fc.tuple(fc.oneof(call, plainForm), fc.nat(400), fc.string({ maxLength: 9 })).map(([body, at, junk]) => {
    return `${body.slice(0, at)}${junk}${body.slice(at + 3)}`;
  });
  const asForm = (form: string): [string, string] => [form, MULTIPART];
  const types = ["", ...wordsOf("text/plain application/json multipart/form-data application/x-www-form-urlencoded")];
  const body = fc.oneof(
    { weight: 8, arbitrary: call.map(asForm) },
    { weight: 4, arbitrary: plainForm.map(asForm) },
    { weight: 3, arbitrary: torn.map(asForm) },
    { weight: 3, arbitrary: fc.tuple(argumentsText, fc.constantFrom(...types)) },
  );
  const signedIn: [string, string] = ["Cookie", words.cookie];
  const more = fc.array(fc.constantFrom(...HEADERS, signedIn), { maxLength: 3 });
  const origin = fc.oneof(
    { weight: 8, arbitrary: fc.constant(words.origin) },
    fc.constantFrom("", "null", "https://evil.test", "::", `${words.origin}.evil.test`, `${words.origin}/x`),
  );
  const ending = fc.constantFrom(...ENDINGS);
  const hangUp = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    fc.record({ part: fc.constant(1), after: fc.oneof(fc.nat(60), fc.constant("answer" as const)), ending }),
    // To a part of a request there is no answer to wait for.
    fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), after: fc.nat(30), ending }),
  );
  return fc
    .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PATHS), fc.option(id), body, origin, more, hangUp)
    .map(
      ([method, path, action, [given, type], Origin, headers, end]): FuzzRequest => ({
        kind: end ? "hang-up" : "action",
        method,
        path,
        isSigned: false,
        hangUp: end,
        headers: [
          ...(action === null ? [] : ([["Next-Action", action]] as Pairs)),
          ...(type === "" ? [] : ([["Content-Type", type]] as Pairs)),
          ...(Origin === "" ? [] : ([["Origin", Origin]] as Pairs)),
          ...headers,
        ],
        body: method === "GET" || method === "HEAD" ? undefined : Buffer.from(given, "utf8").toString("latin1"),
      }),
    );
};
