import { execFileSync } from 'node:child_process'

const checkout = new URL('../..', import.meta.url).pathname

/** The last release that is tagged as `v…`, or undefined before the first release and in a checkout without tags. */
export function lastTag(): string | undefined {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*']
  try {
    return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

/** Writes the files of a tag to `folder`. With `path`, only those under it. */
export function extractTag(tag: string, folder: string, path = '.'): void {
  const files = execFileSync('git', ['archive', tag, path], { cwd: checkout, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['x', '-C', folder], { input: files })
}
