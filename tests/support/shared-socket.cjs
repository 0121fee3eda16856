// Two servers on one listening socket: each takes connections out of the same queue.
const cluster = require("node:cluster");

cluster.schedulingPolicy = cluster.SCHED_NONE;
cluster.setupPrimary({ exec: "scripts/start.mjs" });
const workers = [cluster.fork(), cluster.fork()];
console.log(`workers ${workers.map((worker) => worker.process.pid).join(" ")}`);
cluster.on("exit", (worker, code) => {
  console.log(`worker ${worker.process.pid} ended with ${code}`);
});
