/** The models that are called: for chat small ones, the most frequently used. */
export const models = {
  a: 'vendor_a/atlas-mini',
  b: 'vendor_b/lyric-swift',
  c: 'vendor_c/prism-flash',
  images: 'vendor_a/mural',
  videos: 'vendor_i/reel',
  speech: 'vendor_a/orator',
}
