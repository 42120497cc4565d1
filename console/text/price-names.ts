import { defineMessages } from './language.ts'

/** The names of units in German, for one and for more. The graph has the English ones. */
const germanUnits: Record<string, readonly [one: string, more: string]> = {
  token: ['Token', 'Tokens'],
  character: ['Zeichen', 'Zeichen'],
  second: ['Sekunde', 'Sekunden'],
  image: ['Bild', 'Bilder'],
  'input image': ['Eingabebild', 'Eingabebilder'],
  video: ['Video', 'Videos'],
  track: ['Stück', 'Stücke'],
}

/** Names of items and units of prices. */
export const priceNames = defineMessages({
  en: {
    items: {
      input: 'Input',
      output: 'Output',
      cache_read: 'Cached input',
      cache_write: 'Input written to the cache',
      video: 'Video',
      image: 'Image',
      audio: 'Audio',
    } as Record<string, string>,
    /** `unit` as the graph names it: `second` or `1M tokens`. */
    per: (unit: string) => `per ${unit}`,
    quantity: (count: string, unit: string, isOne: boolean) => `${count} ${isOne ? unit : `${unit}s`}`,
  },
  de: {
    items: {
      input: 'Eingabe',
      output: 'Ausgabe',
      cache_read: 'Eingabe aus dem Cache',
      cache_write: 'In den Cache geschriebene Eingabe',
      video: 'Video',
      image: 'Bild',
      audio: 'Ton',
    },
    per(unit) {
      const [, multiple, noun = unit] = /^1([KM]) (.*)s$/.exec(unit) ?? []
      const [one, more] = germanUnits[noun] ?? [noun, noun]
      return multiple === undefined ? `je ${one}` : `je ${multiple === 'K' ? '1.000' : '1 Mio.'} ${more}`
    },
    quantity(count, unit, isOne) {
      const [one, more] = germanUnits[unit] ?? [unit, unit]
      return `${count} ${isOne ? one : more}`
    },
  },
})
