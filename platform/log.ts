import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

const secrets = [
  'authorization',
  'password',
  'api_key',
  'apiKey',
  'token',
  'refreshToken',
  'full_key',
  'key',
  'secret',
]

/**
 * The process's logger: one JSON line per event, written immediately (measured faster than a buffered writer). Fields
 * with the name of a secret are redacted, at the top level and one level below.
 */
export function openLog(options: { level: string; name: string; destination?: DestinationStream }): Log {
  const settings = {
    name: options.name,
    level: options.level,
    base: { process: options.name, pid: process.pid },
    redact: { paths: [...secrets, ...secrets.map(field => `*.${field}`)], censor: '***' },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}

/** Maximum delay before buffered lines are written, in milliseconds. */
const lingerMs = 100
const fullCharacters = 65_536

/** Wide log lines of a busy process, which are written in batches. Their fields are fixed and contain no secrets. */
export interface LogLines {
  write(line: Record<string, unknown>): void
  /** Writes the waiting lines. */
  flush(): void
}

/** Opens log lines that all begin with `base`. `print` receives whole lines and defaults to the standard output. */
export function openLogLines(
  base: Record<string, unknown>,
  print: (text: string) => void = text => void process.stdout.write(text),
): LogLines {
  const beginning = `{"level":30,${JSON.stringify(base).slice(1, -1)},"time":`
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting === '') return
    const text = waiting
    waiting = ''
    print(text)
  }
  return {
    write(line) {
      waiting += `${beginning}${Date.now()},${JSON.stringify(line).slice(1)}\n`
      if (waiting.length > fullCharacters) flush()
      else timer ??= setTimeout(flush, lingerMs)
    },
    flush,
  }
}
