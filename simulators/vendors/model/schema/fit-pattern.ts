/**
 * A string that a regular expression matches: literals, classes, groups, alternatives and counts, the shortest way.
 * Look-around, back-references and Unicode classes are not understood; of alternatives the ordinal picks one.
 */
export function fitPattern(pattern: string, { ordinal }: { ordinal: number }): string {
  return readAlternatives({ pattern, at: 0, ordinal })
}

interface Reader {
  readonly pattern: string
  at: number
  readonly ordinal: number
}

/** Reads up to the end of the group or pattern. */
function readAlternatives(reader: Reader): string {
  const texts = [readSequence(reader)]
  while (reader.pattern[reader.at] === '|') {
    reader.at++
    texts.push(readSequence(reader))
  }
  return texts[reader.ordinal % texts.length] ?? ''
}

function readSequence(reader: Reader): string {
  let text = ''
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const atom = readAtom(reader)
    text += atom.repeat(readCount(reader))
  }
  return text
}

function readAtom(reader: Reader): string {
  const character = reader.pattern[reader.at++] ?? ''
  switch (character) {
    case '^':
    case '$':
      return ''
    case '.':
      return 'a'
    case '(':
      return readGroup(reader)
    case '[':
      return readClass(reader)
    case '\\':
      return readEscape(reader)
    default:
      return character
  }
}

function readGroup(reader: Reader): string {
  const opening = /^\?(:|<\w+>)/.exec(reader.pattern.slice(reader.at))
  reader.at += opening?.[0].length ?? 0
  const text = readAlternatives(reader)
  reader.at++
  return text
}

const escapes: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcdefghij',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  n: '\n',
  t: '\t',
  b: '',
  B: '',
}

function readEscape(reader: Reader): string {
  const character = reader.pattern[reader.at++] ?? ''
  return pick(escapes[character] ?? character, reader.ordinal)
}

/** One character of a class like `[a-z\d_]`, or for `[^…]` one outside of it. */
function readClass(reader: Reader): string {
  const { pattern } = reader
  const end = findClassEnd(pattern, reader.at)
  const source = pattern.slice(reader.at - 1, end + 1)
  reader.at = end + 1
  const belongs = new RegExp(`^${source}$`)
  const members = printable.filter(character => belongs.test(character)).join('')
  return pick(members, reader.ordinal)
}

function findClassEnd(pattern: string, start: number): number {
  let at = start
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1
  return at
}

/** Letters and digits first, since they are what most patterns mean. */
const printable = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\n',
]

function pick(characters: string, ordinal: number): string {
  return characters === '' ? '' : (characters[ordinal % characters.length] ?? '')
}

/** How often the atom before is repeated: as seldom as allowed, but for `+`, `*` and `?` once. */
function readCount(reader: Reader): number {
  const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.pattern.slice(reader.at))
  if (!found) return 1
  reader.at += found[0].length
  return found[1] === undefined ? 1 : Number(found[1])
}
