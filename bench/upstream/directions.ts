/** How the upstream answers a request. The prompt states it, so that no setting of a real vendor is used. */
export interface Directions {
  /** Delay of the first byte, or the duration of a generation, in milliseconds. */
  latencyMs: number
  /** Number of pieces of text in a stream. */
  chunks: number
  /** Delay between two frames of a stream, in milliseconds. */
  everyMs: number
  /** Size of an image or a video. */
  bytes: number
}

/** The path below which the upstream never answers. */
export const silentPath = '/silent'

/** Returns the directions as a sentence for a prompt; 0 unless given. */
export function writeDirections(given: Partial<Directions>): string {
  const { latencyMs = 0, chunks = 0, everyMs = 0, bytes = 0 } = given
  return `Answer after ${latencyMs} ms, in ${chunks} chunks, one every ${everyMs} ms, ${bytes} bytes.`
}

const sentence = /Answer after (\d+) ms, in (\d+) chunks, one every (\d+) ms, (\d+) bytes\./

/** Finds the directions in a request. Without any, a whole, small answer is sent at once. */
export function readDirections(body: string): Directions {
  const [latencyMs = 0, chunks = 0, everyMs = 0, bytes = 0] = (sentence.exec(body) ?? []).slice(1).map(Number)
  return { latencyMs, chunks, everyMs, bytes }
}
