import { defineMessages } from '../../text/language.ts'

export const messages = defineMessages({
  en: {
    reason: 'Reason',
    reasonHint: 'At most 500 characters. The account can read it in its audit log.',
    states: { open: 'Open', suspended: 'Suspended', closed: 'Closed', erased: 'Data deleted' },
    tiers: { paying: 'Paying', trial: 'Trial' },
  },
  de: {
    reason: 'Begründung',
    reasonHint: 'Höchstens 500 Zeichen. Das Konto kann sie in seinem Audit-Log lesen.',
    states: { open: 'Offen', suspended: 'Gesperrt', closed: 'Geschlossen', erased: 'Daten gelöscht' },
    tiers: { paying: 'Zahlend', trial: 'Test' },
  },
})
