/** How the benchmark's upstream is to answer. The prompt says it: no setting of a real vendor is used for that. */
export interface Directions {
  /** Before the first byte. */
  latencyMs: number
  /** Pieces of text in a stream. */
  chunks: number
  /** Between one frame of a stream and the next; all at once for 0. */
  everyMs: number
}

/** The directions in words, for a prompt. */
export function writeDirections({ latencyMs, chunks, everyMs }: Directions): string {
  return `Answer after ${latencyMs} ms, in ${chunks} chunks, one every ${everyMs} ms.`
}

const saying = /Answer after (\d+) ms, in (\d+) chunks, one every (\d+) ms\./

/** Finds them again in a request; without any it is to answer whole and at once. */
export function readDirections(body: string): Directions {
  const [, latencyMs, chunks, everyMs] = saying.exec(body) ?? []
  return { latencyMs: Number(latencyMs ?? 0), chunks: Number(chunks ?? 0), everyMs: Number(everyMs ?? 0) }
}
