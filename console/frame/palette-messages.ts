import { defineMessages } from '../text/language.ts'

/** The texts of the command palette, for customers and operators. */
export const messages = defineMessages({
  en: {
    palette: 'Go to',
    results: 'Results',
    empty: 'Nothing found.',
    page: 'Page',
    model: 'Model',
  },
  de: {
    palette: 'Gehe zu',
    results: 'Ergebnisse',
    empty: 'Nichts gefunden.',
    page: 'Seite',
    model: 'Modell',
  },
})
