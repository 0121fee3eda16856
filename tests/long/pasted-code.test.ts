import { describe, expect, test, vi } from "vitest";
import { DOCS_PAGES } from "@/lib/docs/docs-pages";
import { type PastedCode, readerOfDocs } from "../support/pasted-code";
import { PYTHON } from "../support/python";
import { requestRows } from "../support/request-rows";

vi.setConfig({ testTimeout: 120_000 });

const FENCES = ["sh", "js", "ts", "python"] as const;
const isSkipped = (fence: string) => fence === "python" && !PYTHON;

const named = (blocks: PastedCode[], caption: RegExp, fence: string): PastedCode => {
  const found = blocks.find((block) => block.fence === fence && caption.test(block.caption));
  if (!found) throw new Error(`no ${fence} under ${caption}`);
  return found;
};

describe("the reference", () => {
  test.each(["sh", "ts", "python"].filter((fence) => !isSkipped(fence)))(
    "each of its examples in %s runs in an empty folder, TypeScript also passes a strict compiler: a message of each type is sent, read and listed",
    async (fence) => {
      const { workspace, blocksOf, paste, typeCheck } = await readerOfDocs();
      const blocks = await blocksOf("reference");
      for (const block of blocks.filter(
        ({ fence, code }) => fence === "sh" && /^(curl -O|python3 -m pip)/.test(code),
      )) {
        if (fence !== "python" || PYTHON) await paste(block);
      }
      const examples = blocks.filter((block) => block.fence === fence && !/^(curl -O|python3 -m pip)/.test(block.code));
      expect(examples.map(({ caption }) => caption)).toEqual([
        "Text message",
        "Template message",
        "Interactive message",
        "Read a message and its status",
        "List the approved templates",
      ]);
      if (fence === "ts") await typeCheck(...examples.map(({ code }) => code));
      let messageId = "";
      for (const example of examples) {
        const said = await paste(example, { MESSAGE_ID: messageId });
        messageId ||= /msg_\w+/.exec(said)?.[0] ?? "";
        expect(said, example.caption).toContain(/templates/.test(example.caption) ? "order_ready" : "msg_");
      }
      const rows = await requestRows(workspace, examples.length);
      expect(rows.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
        ...Array.from({ length: 3 }, () => "POST /api/v1/public/messages/send 201"),
        `GET /api/v1/public/messages/${messageId} 200`,
        "GET /api/v1/public/templates 200",
      ]);
    },
  );
});

describe("the quickstart", () => {
  test.each(["sh", "js", "python"].filter((fence) => !isSkipped(fence)))(
    "its calls in %s run as they are pasted into an empty folder: sent, replayed, read, listed",
    async (fence) => {
      const { blocksOf, paste } = await readerOfDocs();
      const blocks = await blocksOf("quickstart");
      const send = named(blocks, /^POST \S+$/, fence);
      const sent = await paste(send);
      expect(sent).toMatch(/\b201\b/);
      const [messageId = ""] = /msg_\w+/.exec(sent) ?? [];
      const again = await paste(send);
      expect([/\b200\b/.test(again), again.includes(messageId)]).toEqual([true, true]);
      const read = await paste(named(blocks, /^GET \S+messageId$/, fence), { MESSAGE_ID: messageId });
      expect([/\b200\b/.test(read), read.includes(messageId)]).toEqual([true, true]);
      const listed = await paste(named(blocks, /^GET \S+templates$/, fence));
      expect([/\b200\b/.test(listed), listed.includes("templates")]).toEqual([true, true]);
      expect(await paste(named(blocks, /with a template$/, fence))).toMatch(/\b201\b/);
    },
  );

  test("its TypeScript client is fetched into an empty folder by the command shown, passes a strict compiler, and the program says READ", async () => {
    const { blocksOf, paste, typeCheck } = await readerOfDocs();
    const blocks = await blocksOf("quickstart");
    await paste(named(blocks, /^Get the client$/, "sh"));
    await typeCheck(named(blocks, /^send\.mts$/, "ts").code);
    // Without an address of its own the program calls the deployment that the file came from.
    expect((await paste(named(blocks, /^send\.mts$/, "ts"))).trim()).toBe("READ");
  });

  test.skipIf(!PYTHON)("its Python client is installed by the command shown, and the program says READ", async () => {
    const { blocksOf, paste } = await readerOfDocs();
    const blocks = await blocksOf("quickstart");
    await paste(named(blocks, /^Install the client$/, "sh"));
    expect((await paste(named(blocks, /^send\.py$/, "python"))).trim()).toBe("READ");
  });

  test("every block that can be run is one of those above", async () => {
    const { blocksOf } = await readerOfDocs();
    const runnable = (await blocksOf("quickstart")).filter(({ fence }) => FENCES.some((one) => one === fence));
    const captions = [...new Set(runnable.map(({ caption }) => caption))];
    expect(captions).toEqual([
      "Credentials",
      "POST /api/v1/public/messages/send",
      "The id of your message",
      "GET /api/v1/public/messages/:messageId",
      "GET /api/v1/public/templates",
      "POST /api/v1/public/messages/send, with a template",
      "Get the client",
      "send.mts",
      "Install the client",
      "send.py",
    ]);
  });
});

describe("the packages that the docs name", () => {
  test("are installed from this deployment, never from a public registry that does not have them", async () => {
    const { blocksOf } = await readerOfDocs();
    const pages = DOCS_PAGES.map((page) => page.slice("/docs/".length));
    const installs = (await Promise.all(pages.map(blocksOf)))
      .flat()
      .filter(({ fence }) => fence === "sh")
      .flatMap(({ code }) =>
        code.split("\n").filter((line) => /\b(npm (i|install)|npx|npm exec|pip install)\b/.test(line)),
      );
    expect(installs.length).toBeGreaterThanOrEqual(5);
    for (const line of installs) {
      expect(line).toMatch(
        /^(python3 -m pip install "http:\/\/[^"]+\.whl"|npm install "http:\/\/[^"]+\.tgz"|npx --no -- switchboard-client .*)$/,
      );
    }
  });
});
