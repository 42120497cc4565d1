/** Imported before the entry file of each process that `npm start` starts: killed itself, it leaves nobody behind. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref() // to listen is no reason to stay
