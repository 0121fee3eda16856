/** Preloaded into a child process: it ends when its parent is gone, even when the parent was killed. */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone must not keep a finished program alive.
process.channel?.unref();
