import { type ParseArgsOptionsConfig, parseArgs as parseNodeArgs } from 'node:util'

/** The arguments and options that a command accepts. */
export interface ArgumentRules {
  /** Options by name, e.g. `{ check: { type: 'boolean' } }` for `--check`. */
  options?: ParseArgsOptionsConfig
  /** Maximum number of operands; none by default. */
  maxOperands?: number
}

/** The operands. */
export interface Given {
  wantsHelp: boolean
  options: Record<string, string | boolean | undefined>
  /** The values of options that can be repeated (`multiple`), by name. */
  lists: Record<string, string[] | undefined>
  operands: string[]
}

/**
 * Parses the arguments of a command. A negative number is an operand. Throws an error with one line for an unknown
 * option or operand.
 */
export function parseArgs(rules: ArgumentRules, args: string[]): Given {
  const { values, positionals } = parse(rules, args)
  const surplus = positionals[rules.maxOperands ?? 0]
  if (surplus !== undefined) throw new Error(`unknown word ${surplus}: see --help`)
  const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, single(value)]))
  const lists = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, several(value)]))
  return { wantsHelp: options.help === true, options, lists, operands: positionals }
}

function parse(rules: ArgumentRules, args: string[]) {
  try {
    const options = { ...rules.options, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseNodeArgs({ args: args.map(mask), options, allowPositionals: true })
    return { values, positionals: positionals.map(unmask) }
  } catch (error) {
    const [fault] = error instanceof Error ? error.message.split('. ') : [] // the rest of the message explains dashes
    throw new Error(`${fault}: see --help`, { cause: error })
  }
}

/** Node parses `-5` as an option. */
const sign = '\0-'

function mask(arg: string): string {
  return /^-[\d.]+$/.test(arg) ? sign + arg.slice(1) : arg
}

function unmask(arg: string): string {
  return arg.startsWith(sign) ? `-${arg.slice(sign.length)}` : arg
}

function single(value: unknown): string | boolean | undefined {
  if (typeof value === 'string') return unmask(value)
  return typeof value === 'boolean' ? value : undefined
}

function several(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(part => unmask(String(part))) : undefined
}
