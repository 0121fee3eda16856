// `npx tsx tests/screens/og-image.ts`: the picture that other sites show beside a link to the docs, as public/og.png.
import { readFileSync, statSync } from "node:fs";
import { startChromium } from "../support/browser";

const TARGET = "public/og.png";

const mark = readFileSync("app/icon.svg", "utf8");
const page = `<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; width: 1200px; height: 630px; background: #fff; color: #16191d; overflow: hidden;
    font-family: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
  main { box-sizing: border-box; height: 100%; padding: 88px 96px; border-top: 16px solid #0b6e63;
    display: flex; flex-direction: column; }
  .brand { display: flex; align-items: center; gap: 24px; font-size: 44px; font-weight: 600; letter-spacing: -0.02em; }
  svg { width: 76px; height: 76px; }
  h1 { margin: 64px 0 0; font-size: 68px; line-height: 1.12; font-weight: 650; letter-spacing: -0.03em; max-width: 15em; }
  p { margin: auto 0 0; font-size: 32px; color: #5a626c; }
</style>
<main>
  <div class="brand">${mark}Switchboard</div>
  <h1>Send WhatsApp messages with one key and three endpoints</h1>
  <p>Messaging API · Docs, reference and error codes</p>
</main>`;

const browser = await startChromium();
try {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await tab.setContent(page);
  await tab.screenshot({ path: TARGET });
} finally {
  await browser.close();
}
console.log(`${TARGET}: ${Math.round(statSync(TARGET).size / 1_024)} KB`);
