/** Preloaded into a child process: ends it when its parent has exited, even if the parent was killed. */
const CHECK_MS = 250;
const parent = process.ppid;

// Polled, because a channel to the parent would change how some programs behave.
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
}, CHECK_MS).unref();
