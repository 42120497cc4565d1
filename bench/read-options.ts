import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Lengths } from './load/plan.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { chooseScenarios } from './scenarios/scenarios.ts'
import { soak } from './scenarios/soak.ts'

export const help = `npm run bench -- [options]

  --only NAMES     only scenarios whose name starts with one of NAMES, separated by commas;
                   may be repeated: --only hot-50,streams --only graph
  --list           list the scenarios
  --rounds N       number of rounds that count, for the edge and for the floor (5)
  --seconds N      length of a round, after one second of warm-up (4)
  --quick          one round of one second: shows that everything works, but measures nothing reliably
  --log-millions N number of requests in the log of growth-logs, in millions (30)
  --soak MINUTES   instead of the scenarios, send load for MINUTES and check whether the edge's memory grows
  --json FILE      write all figures and rounds to FILE
  --profile FOLDER write a CPU profile of the edge to FOLDER, and print where its time went
  --help           this text

Exits with 1 if a response or the books were wrong, or if a target was missed (never with --quick).
`

/** The options of a run. */
export interface Options {
  wantsHelp: boolean
  wantsList: boolean
  scenarios: Scenario[]
  rounds: number
  lengths: Lengths
  isQuick: boolean
  logMillions: number
  jsonFile: string | undefined
  profileFolder: string | undefined
}

/** Parses the arguments of the command. Throws an Error with one line if one is unknown or invalid. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'log-millions': { type: 'string' },
      soak: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const usual = values.quick
    ? { rounds: 1, seconds: 1, warmUpSeconds: 0.5 }
    : { rounds: 5, seconds: 4, warmUpSeconds: 1 }
  const soakMinutes = positive('--soak', values.soak)
  const names = values.only.flatMap(list => list.split(',')).filter(name => name !== '')
  return {
    wantsHelp: values.help,
    wantsList: values.list,
    scenarios: soakMinutes === undefined ? chooseScenarios(names) : [soak(soakMinutes)],
    rounds: Math.ceil(positive('--rounds', values.rounds) ?? usual.rounds),
    lengths: {
      warmUpSeconds: usual.warmUpSeconds,
      seconds: positive('--seconds', values.seconds) ?? usual.seconds,
    },
    isQuick: values.quick,
    logMillions: positive('--log-millions', values['log-millions']) ?? 30,
    jsonFile: values.json,
    profileFolder: values.profile && resolve(values.profile),
  }
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`${name} must be a number above zero`)
  return value
}
