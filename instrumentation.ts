/** Runs once when a server starts, before its first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startServer } = await import("./lib/start-server");
  await startServer();
}
