import { defineMessages } from '../text/language.ts'

/** The texts of the choice of theme and language. */
export const messages = defineMessages({
  en: {
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language',
  },
  de: {
    theme: 'Darstellung',
    themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
    language: 'Sprache',
  },
})
