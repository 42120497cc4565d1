import { waitForTurn } from '../byte-turns.ts'

/** Number of bytes that are encoded at once: a multiple of three, so that the pieces can be joined. */
const pieceBytes = 3 << 16

/** Prints bytes as a JSON string in base64, over several turns of the event loop if they are many. */
export async function printBase64(content: Buffer): Promise<Buffer> {
  const length = Math.ceil(content.length / 3) * 4
  const printed = Buffer.from(new ArrayBuffer(length + 2))
  printed[0] = quotationMark
  let end = 1
  for (let at = 0; at < content.length; at += pieceBytes) {
    if (at > 0) await waitForTurn(pieceBytes)
    end += printed.write(content.toString('base64', at, at + pieceBytes), end, 'latin1')
  }
  printed[end] = quotationMark
  return printed
}

const quotationMark = 0x22
