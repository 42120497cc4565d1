import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Lengths } from './rounds/plan-round.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { chooseScenarios } from './scenarios/scenarios.ts'

export const help = `npm run bench -- [options]

  --only NAME      scenarios whose name begins so; may be repeated (hot, hot-50, streams, …)
  --rounds N       rounds of each side (5)
  --seconds N      seconds of a round that count, after one of warm-up (4)
  --quick          one round of a second each: shows that all works, proves nothing
  --soak MINUTES   instead: load for so long and see whether the edge's memory grows
  --json FILE      write all figures there
  --profile FOLDER write a CPU profile of the edge there, and print where its time went
  --help           this text
`

/** The options of a run. */
export interface Options {
  wantsHelp: boolean
  scenarios: Scenario[]
  rounds: number
  lengths: Lengths
  isQuick: boolean
  soakMinutes: number | undefined
  jsonFile: string | undefined
  profileFolder: string | undefined
}

/** Reads the words after the command. Throws an Error with one line for what it does not understand. */
export function readOptions(words: string[]): Options {
  const { values } = parseArgs({
    args: words,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      soak: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const usual = values.quick
    ? { rounds: 1, seconds: 1, warmUpSeconds: 0.5 }
    : { rounds: 5, seconds: 4, warmUpSeconds: 1 }
  return {
    wantsHelp: values.help,
    scenarios: chooseScenarios(values.only),
    rounds: Math.ceil(positive('--rounds', values.rounds) ?? usual.rounds),
    lengths: {
      warmUpSeconds: usual.warmUpSeconds,
      seconds: positive('--seconds', values.seconds) ?? usual.seconds,
    },
    isQuick: values.quick,
    soakMinutes: positive('--soak', values.soak),
    jsonFile: values.json,
    profileFolder: values.profile && resolve(values.profile),
  }
}

function positive(name: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined
  const value = Number(word)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`${name} must be a number above zero`)
  return value
}
