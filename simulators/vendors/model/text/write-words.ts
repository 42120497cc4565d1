const vocabulary = (
  'amber basin cedar delta ember field grove harbor island jasper kernel ladder meadow needle ocean ' +
  'pebble quartz river silver timber upland valley willow yonder zephyr anchor bridge copper dune early forest ' +
  'gentle hollow iron juniper kindle linen marble north olive paper quiet raven stone thread under violet water ' +
  'amble bright clear deep even fresh grand high inner just keen light mild near open plain'
).split(' ')

/** So many words that a seed decides, one space between them. */
export function writeWords(count: number, seed: number): string {
  const words: string[] = []
  let state = seed | 0
  for (let written = 0; written < count; written++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    words.push(vocabulary[(state >>> 16) % vocabulary.length] ?? '')
  }
  return words.join(' ')
}
