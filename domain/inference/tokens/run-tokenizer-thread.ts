import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { answerTasks } from '../../../platform/process/task-thread.ts'
import { sliceRuns } from './slice-runs.ts'

/** Merges that the library remembers, of words that it has seen. */
setMergeCacheSize(20_000)

/** What reads like a control token is text. */
const asText = { disallowedSpecial: new Set<string>() }

answerTasks((texts: string[]): number => {
  let tokens = 0
  for (const text of texts) for (const slice of sliceRuns(text)) tokens += countTokens(slice, asText)
  return tokens
})
