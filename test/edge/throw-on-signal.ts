// Loaded into a process with NODE_OPTIONS: each SIGUSR2 is an exception that no code catches.
process.on('SIGUSR2', () => {
  throw new Error('thrown by the test')
})
