// Loaded into a process with NODE_OPTIONS: SIGTERM stops the event loop of an edge's worker for 5.1 seconds.
if (process.argv.includes('--committer'))
  process.once('SIGTERM', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_100)
  })
