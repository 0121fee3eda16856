/** Preloaded into a child process: it ends when its parent is gone, even when the parent was killed. */
const CHECK_MS = 250;
const parent = process.ppid;

// Polled, because a channel to the parent would change how some programs behave.
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
}, CHECK_MS).unref();
