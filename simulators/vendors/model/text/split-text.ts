const words = /\s*\S{1,16}|\s+/gu
const slices = /.{1,12}/gsu

/** Cuts a text into the pieces that a stream carries: a word each, with the space before it. */
export function* splitWords(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(words)) yield piece
}

/** Cuts JSON text into short slices wherever they fall, as streamed arguments of a tool come; never inside a character. */
export function* splitJson(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(slices)) yield piece
}
