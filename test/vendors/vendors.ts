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

export const vendors: Vendor[] = [
  {
    model: 'vendor_a/atlas',
    inputNanos: 1_250,
    outputNanos: 10_000,
    cacheReadNanos: 125,
    namesAnswers: true,
  },
  {
    model: 'vendor_b/lyric',
    inputNanos: 3_000,
    outputNanos: 15_000,
    cacheReadNanos: 300,
    cacheWriteNanos: 3_750,
    namesAnswers: true,
  },
  {
    model: 'vendor_c/prism-pro',
    inputNanos: 2_000,
    outputNanos: 12_000,
    cacheReadNanos: 200,
    namesAnswers: false,
  },
]
