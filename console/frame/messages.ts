import { defineMessages } from '../text/language.ts'

/** The texts of the frame, for customers and operators. */
export const messages = defineMessages({
  en: {
    navigation: 'Pages',
    skip: 'Skip to the content',
    openMenu: 'Open the menu',
    search: 'Search',
    unanswered: 'The service does not answer. What you see may be out of date; changes cannot be saved.',
    offline: 'You are offline. What you see may be out of date; changes cannot be saved.',
  },
  de: {
    navigation: 'Seiten',
    skip: 'Zum Inhalt springen',
    openMenu: 'Menü öffnen',
    search: 'Suchen',
    unanswered:
      'Der Dienst antwortet nicht. Die Anzeige kann veraltet sein; Änderungen lassen sich nicht speichern.',
    offline: 'Sie sind offline. Die Anzeige kann veraltet sein; Änderungen lassen sich nicht speichern.',
  },
})
