import { defineMessages } from '../text/language.ts'

/** The texts of a key's state and spending. */
export const messages = defineMessages({
  en: {
    active: 'Active',
    disabled: 'Disabled',
    expired: 'Expired',
    provisioning: 'Provisioning',
    spent: 'Spent',
  },
  de: {
    active: 'Aktiv',
    disabled: 'Deaktiviert',
    expired: 'Abgelaufen',
    provisioning: 'Verwaltung',
    spent: 'Ausgegeben',
  },
})
