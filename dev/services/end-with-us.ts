import { spawn } from 'node:child_process'

/**
 * Sees to it that a process group does not outlive us, however we end: a shell waits at the far end of a pipe, and
 * when the pipe closes because we are gone, it gives the group that signal. Returns how to call it off.
 */
export function endWithUs(groupId: number, signal: NodeJS.Signals): () => void {
  const script = `read -r _; kill -s ${signal.replace('SIG', '')} -- -${groupId}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.on('error', () => {}) // without a shell it is as it would be without this
  shell.unref()
  return () => void shell.kill('SIGKILL')
}
