const TICK_MS = 1_000;
const LINE_EVERY_SECONDS = 5;

/**
 * Prints what is running, the elapsed time, and the total at the end. A terminal gets one updating line,
 * a file one line every few seconds.
 */
export async function withProgress(title, work) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1_000).toFixed(1);
  const isTerminal = process.stdout.isTTY;
  if (isTerminal) process.stdout.write(`  ${title} …`);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (isTerminal) process.stdout.write(`\r  ${title} … ${ticks} s`);
    else if (ticks % LINE_EVERY_SECONDS === 0) process.stdout.write(`  ${title} … ${ticks} s\n`);
  }, TICK_MS);
  try {
    const result = await work();
    process.stdout.write(`${isTerminal ? "\r\u001b[2K" : ""}  ${title}: ${seconds()} s\n`);
    return result;
  } catch (error) {
    process.stdout.write(`${isTerminal ? "\r\u001b[2K" : ""}  ${title}: failed after ${seconds()} s\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
