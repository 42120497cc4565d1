import { once } from 'node:events'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

type Values = Readonly<Record<string, string | boolean | string[] | undefined>>

interface Command {
  readonly help: string
  /** The options besides `--port`, `--host` and `--help`. */
  readonly options?: ParseArgsOptionsConfig
  readonly defaultPort: number
  start(options: Options): Promise<{ readonly message: string; close(): Promise<void> }>
}

interface Options {
  readonly values: Values
  readonly port: number
  readonly host: string
  /** Reads an option as a whole number. Exits with status 2 if it is not one. */
  count(name: string): number
}

/** Runs a simulator as a command: prints the help, or starts it and stops it at SIGTERM or SIGINT. */
export async function runCommand({ help, options, defaultPort, start }: Command): Promise<void> {
  const parsed = parseArgs({
    allowNegative: true,
    options: {
      port: { type: 'string', default: String(defaultPort) },
      host: { type: 'string', default: '127.0.0.1' },
      help: { type: 'boolean', default: false },
      ...options,
    },
  })
  const values: Values = parsed.values
  if (values.help) return void process.stdout.write(help)
  const count = (name: string) => readCount(name, values[name])
  const running = await start({ values, port: count('port'), host: String(values.host), count })
  process.stdout.write(`${running.message}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await running.close()
}

function readCount(name: string, text: Values[string]): number {
  if (typeof text === 'string' && /^\d+$/.test(text)) return Number(text)
  process.stderr.write(`--${name} must be a whole number, not "${text}".\n`)
  process.exit(2)
}
