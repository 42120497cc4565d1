/** The chat model of each vendor that is asked: small ones, which are asked most. */
export const models = {
  a: 'vendor_a/atlas-mini',
  b: 'vendor_b/lyric-swift',
  c: 'vendor_c/prism-flash',
}
