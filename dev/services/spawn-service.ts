import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'

/** A process that we started. */
export interface Service {
  pid: number
  /** Resolves, once it has ended, with why: `SIGKILL` or `exit code 1`. */
  ended: Promise<string>
  /** Returns what it has printed. */
  printed(): string
  /** Sends it `stopSignal` and waits. After `graceMs` it is killed, with all that it started itself. */
  stop(graceMs?: number): Promise<void>
}

interface Command {
  command: string
  args: string[]
  /** Receives what it prints, after what its predecessors printed. */
  logFile: string
  folder?: string
  environment?: NodeJS.ProcessEnv
  /** Whom it runs as, when not as ourselves. */
  owner?: { uid: number; gid: number } | undefined
  stopSignal?: NodeJS.Signals
}

/** Size from which on a log is renamed before the next process writes: together with its predecessor it has a bound. */
const maxLogBytes = 64 << 20

/**
 * Starts a command in a process group of its own: a Ctrl-C in the terminal then reaches this process alone,
 * which decides in which order services stop. The command ends with this process. Throws when it cannot be
 * started at all.
 */
export async function spawnService(command: Command): Promise<Service> {
  const { stopSignal = 'SIGTERM' } = command
  const { logFile } = command
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes)
    renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a')
  const logStart = fstatSync(log).size
  const child = spawn(command.command, command.args, {
    cwd: command.folder,
    env: command.environment ?? process.env,
    ...command.owner,
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  const ended = new Promise<string>(resolve =>
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`)),
  )
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const pid = child.pid!
  const callOff = endWithParent(pid, stopSignal)
  ended.then(() => {
    killGroup(pid) // nobody it started stays behind, nor in the way of the next
    callOff()
  })

  return {
    pid,
    ended,
    printed: () => readFileSync(logFile).subarray(logStart).toString(),
    async stop(graceMs = 10_000) {
      child.kill(stopSignal)
      const late = setTimeout(() => killGroup(pid), graceMs)
      await ended
      clearTimeout(late)
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nobody is left in the group
  }
}

/**
 * Ends a process group when this process ends, even by SIGKILL: a shell waits at the other end of a pipe, and
 * when the pipe closes it sends the group that signal. Returns a function that cancels this.
 */
function endWithParent(groupId: number, signal: NodeJS.Signals): () => void {
  const script = `read -r _; kill -s ${signal.replace('SIG', '')} -- -${groupId}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.on('error', () => {}) // without a shell it is as it would be without this
  shell.unref()
  return () => void shell.kill('SIGKILL')
}
