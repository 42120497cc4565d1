import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Phrases that standard technical English does not use, each with a replacement. CONTRIBUTING.md, Style, has the rules. */
const phrases: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(?:whoever|nobody|somebody|everybody)\b/i, 'name who: the client, the vendor, the worker, the caller'],
  [/\bso (?:many|long|often|much)\b(?! (?:as|that))/i, 'at most N, every N, for up to N seconds'],
  [/\b(?:anew|surely|henceforth|hitherto|thereupon)\b/i, 'again, or leave it out'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'is notified, receives, is reported'],
  [/\bshall\b/i, 'must, or the present tense'],
  [/\b(?:gives?|given|lets?) (?:back|go)\b/i, 'return, release'],
  [/\b(?:is|are|was|were) (?:away|gone)\b/i, 'is unavailable, has disconnected, was deleted'],
  [/(?:^|[.:;] )What (?:is|was|has|it|they|the|a) /, 'begin with the noun: the value, the reason'],
]

/** Maximum number of phrases in a thousand lines of prose. A phrase can be right: in a quotation, or as a name. */
const maxPerThousand = 8

const checkout = join(import.meta.dirname, '..')
const files = globSync('**/*.{ts,tsx,sql,yaml,md}', {
  cwd: checkout,
  exclude: ['node_modules', 'dist', '.rubicon', 'test/english.test.ts'],
})
const folders = Map.groupBy(files, file => (file.includes('/') ? file.split('/')[0]! : 'the top level'))

test.each([...folders.keys()])('the English of %s', folder => {
  const prose = folders.get(folder)!.flatMap(proseOf)
  const found = prose.flatMap(({ place, text }) =>
    phrases.flatMap(([pattern, replacement]) => {
      const [phrase] = pattern.exec(text) ?? []
      return phrase ? [`${place}: “${phrase.trim()}”. Write: ${replacement}.`] : []
    }),
  )
  const allowed = Math.floor((prose.length * maxPerThousand) / 1_000)
  expect(found.length > allowed ? found : []).toEqual([])
})

/** Returns the lines of a page outside of code, or the comment lines of any other file. */
function proseOf(file: string): { place: string; text: string }[] {
  const isPage = file.endsWith('.md')
  let isCode = false
  return readFileSync(join(checkout, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const place = `${file}:${index + 1}`
      if (isPage) {
        const isFence = line.trimStart().startsWith('```')
        if (isFence) isCode = !isCode
        return isFence || isCode ? [] : [{ place, text: line }]
      }
      const [, text] = /^\s*(?:\/\*\*?|\*|\/\/|--|#) ?(.*)/.exec(line) ?? []
      return text === undefined ? [] : [{ place, text }]
    })
}
