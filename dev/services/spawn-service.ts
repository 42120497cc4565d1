import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'

/** A started process. */
export interface Service {
  pid: number
  /** Resolves when the process has ended, to the reason: `SIGKILL` or `exit code 1`. */
  ended: Promise<string>
  /** Returns its output so far. */
  printed(): string
  /** Sends `stopSignal` and waits. After `graceMs` kills the process with its children. */
  stop(graceMs?: number): Promise<void>
}

interface Command {
  command: string
  args: string[]
  /** The file that its output is appended to. */
  logFile: string
  folder?: string
  environment?: NodeJS.ProcessEnv
  /** The user that it runs as; the current user unless given. */
  owner?: { uid: number; gid: number } | undefined
  stopSignal?: NodeJS.Signals
}

/** Size from which a log is renamed before the next process writes, in bytes. One earlier log is kept. */
const maxLogBytes = 64 << 20

/**
 * Starts a command in its own process group, so that Ctrl-C in the terminal reaches only this process, which stops the
 * services in order. The command ends with this process. Throws if it cannot be started.
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
  void ended.then(() => {
    killGroup(pid) // its children end too, and do not block the next start
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
    // the group is empty
  }
}

/**
 * Ends a process group when this process ends, even by SIGKILL: a shell waits at the other end of a pipe and signals the
 * group when the pipe closes. Returns a function that cancels this.
 */
function endWithParent(groupId: number, signal: NodeJS.Signals): () => void {
  const script = `read -r _; kill -s ${signal.replace('SIG', '')} -- -${groupId}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.on('error', () => {}) // without a shell the group is not ended
  shell.unref()
  return () => void shell.kill('SIGKILL')
}
