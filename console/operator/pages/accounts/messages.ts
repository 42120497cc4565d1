import { defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Accounts',
    intro: 'All accounts of the platform, newest first.',
    search: 'Name, e-mail address or ID',
    state: 'State',
    tier: 'Tier',
    account: 'Account',
    people: 'Users',
    more: (count: string) => `and ${count} more`,
    credits: 'Credits',
    keys: 'API keys',
    createdAt: 'Created',
    emptyTitle: 'No accounts yet',
    empty: 'Accounts appear here when customers sign up.',
  },
  de: {
    title: 'Konten',
    intro: 'Alle Konten der Plattform, die neuesten zuerst.',
    search: 'Name, E-Mail-Adresse oder ID',
    state: 'Zustand',
    tier: 'Stufe',
    account: 'Konto',
    people: 'Nutzer',
    more: (count: string) => `und ${count} weitere`,
    credits: 'Guthaben',
    keys: 'API-Schlüssel',
    createdAt: 'Angelegt',
    emptyTitle: 'Noch keine Konten',
    empty: 'Konten erscheinen hier, wenn sich Kunden registrieren.',
  },
})
