import { defineMessages } from '../text/language.ts'

/** The texts of the panel behind the account's name. */
export const messages = defineMessages({
  en: {
    accounts: 'Accounts',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language',
    logOut: 'Log out',
    docs: 'API reference',
    explorer: 'Graph explorer',
  },
  de: {
    accounts: 'Konten',
    theme: 'Darstellung',
    themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
    language: 'Sprache',
    logOut: 'Abmelden',
    docs: 'API-Referenz',
    explorer: 'Graph-Explorer',
  },
})
