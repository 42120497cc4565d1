import { once } from 'node:events'
import { parseArgs } from 'node:util'

type Running = { readonly url: string; close(): Promise<void> }

/**
 * Runs a simulator as a command until SIGTERM or SIGINT. `defaults` are its options and their defaults, which `--help`
 * prints.
 */
export async function runCommand<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
  start: (options: Readonly<Record<Name, string>>) => Promise<Running>,
): Promise<void> {
  const named = Object.keys(defaults).map(name => [name, { type: 'string' }] as const)
  const { values } = parseArgs({ options: { ...Object.fromEntries(named), help: { type: 'boolean' } } })
  if (Object.hasOwn(values, 'help')) return console.log('Options and their defaults:', defaults)
  const running = await start({ ...defaults, ...values })
  console.log(`listening on ${running.url}`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await running.close()
}
