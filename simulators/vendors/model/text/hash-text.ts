const mostCharacters = 4000

/** A number from 0 to 2^32 - 1 that a text decides (FNV-1a); of a long text its ends and its length do. */
export function hashText(text: string): number {
  const read = text.length <= mostCharacters ? text : readEnds(text)
  let hash = 0x811c9dc5
  for (let at = 0; at < read.length; at++) {
    hash = Math.imul(hash ^ read.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

function readEnds(text: string): string {
  return `${text.length}:${text.slice(0, mostCharacters / 2)}${text.slice(-mostCharacters / 2)}`
}
