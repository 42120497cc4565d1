/** What a model can do follows from its name, whose first number is its generation: `lyric-5`, `claude-opus-4-8`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Since 4.7: no sampling and no prefill, but effort, schemas and system messages in the middle. */
  readonly isRecent: boolean
  /** Shorter prefixes are never cached. */
  readonly minimumCacheTokens: number
}

export function traitsOf(model: string): ModelTraits {
  const [, major = '5', minor = '0'] = /-(\d+)(?:-(\d{1,2}))?(?![\dw])/.exec(model) ?? []
  const isRecent = Number(major) > 4 || (major === '4' && Number(minor) >= 7)
  return { isMissing: /(^|\.)missing-/.test(model), isRecent, minimumCacheTokens: minimumOf(model, isRecent) }
}

function minimumOf(model: string, isRecent: boolean): number {
  if (/grand|swift|opus|haiku/.test(model)) return 4096
  return isRecent ? 1024 : 2048
}
