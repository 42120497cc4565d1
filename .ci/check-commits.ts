/**
 * usage: npm run commits:check [-- BASE..HEAD]
 *
 * Checks the subjects of a range of commits (CONTRIBUTING.md, Commits): by default, of the commits that the branch `main`
 * does not have. Prints each wrong one and exits with 1.
 */
import { execFileSync } from 'node:child_process'

/** GitHub and `git log --oneline` cut longer subjects. */
const maxLength = 72
const types = ['feat', 'fix', 'perf', 'refactor', 'docs', 'test', 'build', 'ci', 'chore', 'style', 'revert']
const conventional = new RegExp(`^(${types.join('|')})(\\([a-z0-9-]+(,[a-z0-9-]+)*\\))?!?: \\S`)

/** Returns the reason why a commit's subject is wrong, or `undefined`. */
export function subjectError(subject: string): string | undefined {
  if (subject.length > maxLength) return `has ${subject.length} characters; at most ${maxLength} are allowed`
  if (!conventional.test(subject)) return `must be "type(scope): text" with one of ${types.join(', ')}`
  if (subject.endsWith('.')) return 'must not end with a full stop'
  return undefined
}

function checkCommits(range: string): void {
  const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', range], { encoding: 'utf8' })
  for (const line of log.split('\n').filter(Boolean)) {
    const [hash = '', ...words] = line.split(' ')
    const subject = words.join(' ')
    const error = subjectError(subject)
    if (!error) continue
    console.error(`${hash} "${subject}" ${error}`)
    process.exitCode = 1
  }
}

if (import.meta.main) {
  const [range = 'main..HEAD'] = process.argv.slice(2)
  checkCommits(range)
}
