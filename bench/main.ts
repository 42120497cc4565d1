/** `npm run bench`: the cost of the edge, compared with a gateway that does nothing (README.md beside this file). */
import { writeFile } from 'node:fs/promises'
import { explainFault } from '../platform/process/explain-fault.ts'
import { readProfile } from './measure/read-profile.ts'
import { help, type Options, readOptions } from './read-options.ts'
import { printProfile } from './report/print-profile.ts'
import { printSummary } from './report/print-result.ts'
import { findFailures, runScenarios } from './run-scenarios.ts'
import { scenarios } from './scenarios/scenarios.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options.wantsHelp) print(help)
  else if (options.wantsList) print(list())
  else process.exit(await run(options))
} catch (error) {
  process.stderr.write(`bench: ${explainFault(error)}\n`)
  process.exit(1)
}

/** Runs the scenarios and resolves to the exit code. */
async function run(options: Options): Promise<number> {
  const { jsonFile, profileFolder, isQuick } = options
  const report = await runScenarios(options, print)
  if (jsonFile) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`)
  const failures = findFailures(report)
  print(printSummary(failures))
  if (report.wasInterrupted) return 130
  if (profileFolder) print(printProfile(await readProfile(profileFolder)))
  return failures.faults.length > 0 || (failures.misses.length > 0 && !isQuick) ? 1 : 0
}

function list(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  const lines = scenarios.map(
    ({ name, description, isOptional }) =>
      `${name.padEnd(width)}  ${description}${isOptional ? ' (only with --only)' : ''}\n`,
  )
  return lines.join('')
}

function print(text: string): void {
  process.stdout.write(text)
}
