/** A place in a text: the position of a character, and its line, from 1. */
export interface Place {
  at: number
  line: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** An object or list around the present token. */
interface Around {
  isList: boolean
  /** The key or the index of the present value. */
  key: string
  /** Whether a key comes next, and not a value. */
  expectsKey: boolean
}

/**
 * Finds the value at a path such as `prices.rates[0].price` in a JSON text. If there is no such value, its nearest parent
 * is found. The text is read once.
 */
export function placeOf(text: string, path: string): Place {
  const wanted = path.match(/[^.[\]]+/g) ?? []
  const around: Around[] = []
  let at = 0
  let matched = -1
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!isValue(around, token)) continue
    const depth = around.length
    if (
      depth > matched &&
      depth <= wanted.length &&
      around.every(({ key }, level) => key === wanted[level])
    ) {
      matched = depth
      at = index
    }
    if (token === '{') around.push({ isList: false, key: '', expectsKey: true })
    if (token === '[') around.push({ isList: true, key: '0', expectsKey: false })
  }
  return { at, line: lineAt(text, at) }
}

/** Follows a token that is no value: a key, a comma, a colon or an end. Returns whether it begins a value. */
function isValue(around: Around[], token: string): boolean {
  const inside = around.at(-1)
  if (token === '}' || token === ']') around.pop()
  else if (!inside) return true
  else if (token === ',') Object.assign(inside, nextIn(inside))
  else if (token === ':') inside.expectsKey = false
  else if (inside.expectsKey) inside.key = keyOf(token)
  else return true
  return false
}

/** Returns what follows a comma: the next item of a list, or a key. */
function nextIn({ isList, key }: Around): Partial<Around> {
  return isList ? { key: String(Number(key) + 1) } : { expectsKey: true }
}

/** Returns the line of a position, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1
  return line
}

function keyOf(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}
