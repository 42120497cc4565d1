import { openTaskThread } from '../../../platform/process/task-thread.ts'

/** Counts tokens as a tokenizer does, beside the event loop. */
export interface Tokenizer {
  /**
   * Tokens of all these texts together. Never throws: where the thread fails, a token is four bytes. Those that are
   * `patient` wait until nobody else does: money is settled before a question that costs nothing is answered.
   */
  count(texts: string[], options?: { isPatient?: boolean }): Promise<number>
  close(): Promise<void>
}

const bytesPerToken = 4

/**
 * Opens the tokenizer by which answers and prompts are estimated that no vendor counted (docs/behaviour.md,
 * Estimates). Its thread begins with the first text: loading the vocabulary takes about a seventh of a second
 * and 80 MB, which a process that estimates nothing never pays.
 */
export function openTokenizer(): Tokenizer {
  const thread = openTaskThread<string[], number>('run-tokenizer-thread', import.meta.url)
  const patient: (() => void)[] = []
  let underWay = 0

  const run = async (texts: string[]) => {
    underWay += 1
    try {
      return await thread.run(texts)
    } catch {
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      return Math.ceil(bytes / bytesPerToken)
    } finally {
      underWay -= 1
      if (underWay === 0) patient.shift()?.()
    }
  }
  return {
    async count(texts, { isPatient = false } = {}) {
      if (texts.every(text => text === '')) return 0
      if (!isPatient || underWay === 0) return run(texts)
      return new Promise(resolve => patient.push(() => resolve(run(texts))))
    },
    close: () => thread.close(),
  }
}
