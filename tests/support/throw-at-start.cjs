// Preloaded into the server under test: something fails once it hears of such failures, before it is ready.
const timer = setInterval(() => {
  if (!process.hasUncaughtExceptionCaptureCallback()) return;
  clearInterval(timer);
  throw new Error("thrown while it starts");
}, 1);
