import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Part of deploy/build-tree.sh. Replaces the package.json of the production tree. Its scripts run the compiled files, so
// that the commands of the documentation and of error messages work there too.

const [target = ''] = process.argv.slice(2)
const path = join(target, 'package.json')
const { name, version, description, type, scripts } = JSON.parse(readFileSync(path, 'utf8'))

/** Returns the command that runs the compiled file of a script, or undefined if the tree lacks it. */
function compiledCommand(command: string): string | undefined {
  const [, exec = '', file = '', rest = ''] =
    /^(exec )?node (?:--import tsx )?(\S+)\.ts( .*)?$/.exec(command) ?? []
  return existsSync(join(target, `dist/${file}.js`)) ? `${exec}node dist/${file}.js${rest}` : undefined
}

/** Scripts that write files of a checkout. */
const forDevelopers = /^(env:|graph)/

const compiled = Object.entries<string>(scripts).map(([script, command]) => [
  script,
  compiledCommand(command),
])
const kept = compiled.filter(([script, command]) => command && !forDevelopers.test(script ?? ''))
const content = {
  name,
  version,
  description,
  private: true,
  type,
  engines: { node: '>=24' },
  scripts: Object.fromEntries(kept),
}
writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
