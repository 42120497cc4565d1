import { defineMessages } from '../text/language.ts'

/** The texts of the panel behind the account's name. */
export const messages = defineMessages({
  en: {
    accounts: 'Accounts',
    logOut: 'Log out',
    docs: 'API reference',
    explorer: 'Graph explorer',
  },
  de: {
    accounts: 'Konten',
    logOut: 'Abmelden',
    docs: 'API-Referenz',
    explorer: 'Graph-Explorer',
  },
})
