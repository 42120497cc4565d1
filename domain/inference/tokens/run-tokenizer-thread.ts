import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { answerTasks } from '../../../platform/process/task-thread.ts'
import { sliceRuns } from './slice-runs.ts'

/** Maximum number of words whose merges the library caches. */
setMergeCacheSize(20_000)

/** Control tokens within a text count as text. */
const asText = { disallowedSpecial: new Set<string>() }

answerTasks((texts: string[]): number => {
  let tokens = 0
  for (const text of texts) for (const slice of sliceRuns(text)) tokens += countTokens(slice, asText)
  return tokens
})
