import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** What may follow the command. */
export interface WordRules {
  /** Options by name, e.g. `{ check: { type: 'boolean' } }` for `--check`. */
  options?: ParseArgsOptionsConfig
  /** How many words without dashes may follow; none by default. */
  maxOperands?: number
}

/** What did follow it. */
export interface Given {
  wantsHelp: boolean
  options: Record<string, string | boolean | undefined>
  operands: string[]
}

/** Reads the words after a command by its rules. Throws an Error with one line for a word it does not know. */
export function readWords(rules: WordRules, words: string[]): Given {
  const { values, positionals } = parse(rules, words)
  const surplus = positionals[rules.maxOperands ?? 0]
  if (surplus !== undefined) throw new Error(`unknown word ${surplus}: see --help`)
  const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, single(value)]))
  return { wantsHelp: options.help === true, options, operands: positionals }
}

function parse(rules: WordRules, args: string[]) {
  try {
    const options = { ...rules.options, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const [fault] = error instanceof Error ? error.message.split('. ') : [] // what follows explains dashes at length
    throw new Error(`${fault}: see --help`, { cause: error })
  }
}

function single(value: unknown): string | boolean | undefined {
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
}
