import { once } from 'node:events'
import { parseArgs } from 'node:util'

interface Command<Name extends string> {
  readonly help: string
  /** The options and their defaults, besides `--host` and `--help`. */
  readonly options: Readonly<Record<Name | 'port', string>>
  start(options: Options<Name>): Promise<{ readonly message: string; close(): Promise<void> }>
}

interface Options<Name extends string> {
  readonly values: Readonly<Record<Name, string>>
  readonly port: number
  readonly host: string
  /** Reads an option as a whole number. Exits with status 2 if it is not one. */
  count(name: Name): number
}

/** Runs a simulator as a command: prints the help, or starts it and stops it at SIGTERM or SIGINT. */
export async function runCommand<Name extends string>({
  help,
  options,
  start,
}: Command<Name>): Promise<void> {
  const values = { host: '127.0.0.1', ...options }
  const named = Object.keys(values).map(name => [name, { type: 'string' }] as const)
  const { values: given } = parseArgs({
    options: { ...Object.fromEntries(named), help: { type: 'boolean' } },
  })
  if (Object.hasOwn(given, 'help')) return void process.stdout.write(help)
  Object.assign(values, given)
  const count = (name: Name | 'port') => readCount(name, values[name])
  const running = await start({ values, port: count('port'), host: values.host, count })
  process.stdout.write(`${running.message}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await running.close()
}

function readCount(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  process.stderr.write(`--${name} must be a whole number, not "${text}".\n`)
  process.exit(2)
}
