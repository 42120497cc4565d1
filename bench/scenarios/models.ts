/** The models that are asked: of chat small ones, which are asked most. */
export const models = {
  a: 'vendor_a/atlas-mini',
  b: 'vendor_b/lyric-swift',
  c: 'vendor_c/prism-flash',
  images: 'vendor_a/mural',
  videos: 'vendor_i/reel',
  speech: 'vendor_a/orator',
}
