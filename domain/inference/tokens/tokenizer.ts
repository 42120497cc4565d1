import { openTaskThread } from '../../../platform/process/task-thread.ts'

/** Counts tokens in a thread. */
export interface Tokenizer {
  /**
   * Returns the tokens of all texts together. Never throws: if the thread fails, four bytes count as a token. A `patient`
   * count waits until no other count does, so that settlements precede free requests.
   */
  count(texts: string[], options?: { isPatient?: boolean }): Promise<number>
  close(): Promise<void>
}

const bytesPerToken = 4

/**
 * Opens the tokenizer for answers and prompts that no vendor has counted (docs/behaviour.md, Estimates). Its thread starts
 * with the first text, since loading the vocabulary takes about 140 ms and 80 MB.
 */
export function openTokenizer(): Tokenizer {
  const thread = openTaskThread<string[], number>('run-tokenizer-thread', import.meta.url)
  const patient: (() => void)[] = []
  let inFlight = 0

  const run = async (texts: string[]) => {
    inFlight += 1
    try {
      return await thread.run(texts)
    } catch {
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      return Math.ceil(bytes / bytesPerToken)
    } finally {
      inFlight -= 1
      if (inFlight === 0) patient.shift()?.()
    }
  }
  return {
    async count(texts, { isPatient = false } = {}) {
      if (texts.every(text => text === '')) return 0
      if (!isPatient || inFlight === 0) return run(texts)
      return new Promise(resolve => patient.push(() => resolve(run(texts))))
    },
    close: () => thread.close(),
  }
}
