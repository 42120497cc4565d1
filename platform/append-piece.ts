/** Number of times that a text is copied while its length doubles. More copies leave fewer separate pieces. */
const copiesPerDoubling = 8

/**
 * Returns a text with a piece appended, for texts that grow by many small pieces and are read at their end. With `+=`
 * alone, V8 keeps an object for each piece, which takes ten times the memory of the text. Here the text is copied into
 * one object whenever it has grown by a tenth.
 */
export function appendPiece(text: string, piece: string): string {
  return isDue(text.length, text.length + piece.length) ? [text, piece].join('') : text + piece
}

function isDue(before: number, after: number): boolean {
  return stepOf(after) > stepOf(before)
}

function stepOf(length: number): number {
  return Math.floor(Math.log2(length + 1) * copiesPerDoubling)
}
