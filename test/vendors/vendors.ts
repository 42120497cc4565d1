/** A vendor of each wire format, by a model of it that the catalogue has. Prices are nano-dollars a token. */
export interface Vendor {
  model: string
  inputNanos: number
  outputNanos: number
  cacheReadNanos: number
  /** Where what is written to the cache costs more than what is not. */
  cacheWriteNanos?: number
  /** Its answers have ids of their own. */
  namesAnswers: boolean
}

const [atlas, lyric, prism] = ['vendor_a/atlas', 'vendor_b/lyric', 'vendor_c/prism-pro'] as const

export const vendors: Vendor[] = [
  { model: atlas, inputNanos: 1_250, outputNanos: 10_000, cacheReadNanos: 125, namesAnswers: true },
  {
    ...{ model: lyric, inputNanos: 3_000, outputNanos: 15_000, cacheReadNanos: 300, namesAnswers: true },
    cacheWriteNanos: 3_750,
  },
  { model: prism, inputNanos: 2_000, outputNanos: 12_000, cacheReadNanos: 200, namesAnswers: false },
]

/** Models of each wire format, also the models of each vendor that differ from its newest. */
export const chatModels = [atlas, lyric, 'vendor_b/lyric-classic', prism, 'vendor_c/prism-lite']
