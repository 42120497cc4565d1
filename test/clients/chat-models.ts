/** A model of each wire format: to a client they are all the same. */
export const chatModels = ['vendor_a/atlas', 'vendor_b/lyric', 'vendor_c/prism-pro']
