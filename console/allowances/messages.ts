import { defineMessages } from '../text/language.ts'

/** The texts of the table of limits. */
export const messages = defineMessages({
  en: {
    resource: 'Resource',
    limit: 'Limit',
    own: 'Set for this account',
    atOnce: 'at the same time',
    inWindow: (window: string) => `in ${window}`,
  },
  de: {
    resource: 'Ressource',
    limit: 'Grenze',
    own: 'Für dieses Konto gesetzt',
    atOnce: 'gleichzeitig',
    inWindow: (window: string) => `in ${window}`,
  },
})
