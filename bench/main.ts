/** `npm run bench`: what our edge costs, against a gateway that does nothing (README.md beside this file). */
import { writeFile } from 'node:fs/promises'
import { explainFault } from '../platform/process/explain-fault.ts'
import { readProfile } from './measure/read-profile.ts'
import { help, readOptions } from './read-options.ts'
import { faultsOf, missesOf } from './report/bench-report.ts'
import { presentProfile } from './report/present-profile.ts'
import { presentReport } from './report/present-report.ts'
import { runBench } from './run-bench.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options.wantsHelp) process.stdout.write(help)
  else {
    const report = await runBench(options)
    process.stdout.write(`\n${presentReport(report)}`)
    if (options.profileFolder)
      process.stdout.write(`\n${presentProfile(await readProfile(options.profileFolder))}\n`)
    if (options.jsonFile) await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`)
    const misses = options.isQuick ? [] : missesOf(report) // too short to judge
    process.exitCode = faultsOf(report).length + misses.length > 0 ? 1 : 0
  }
} catch (error) {
  process.stderr.write(`bench: ${explainFault(error)}\n`)
  process.exitCode = 1
}
