import { defineMessages } from '../text/language.ts'

/** The texts of lists and their filters. */
export const messages = defineMessages({
  en: {
    previous: 'Previous',
    next: 'Next',
    pages: 'Pages of the list',
    filters: 'Filters',
    all: 'All',
    noneTitle: 'Nothing matches',
    none: 'Change or clear the filters.',
    key: 'API key',
    model: 'Model',
    clearFilters: 'Clear filters',
    columns: 'Columns',
    chooseColumns: 'Choose the columns.',
    usualColumns: 'Show the usual columns',
  },
  de: {
    previous: 'Zurück',
    next: 'Weiter',
    pages: 'Seiten der Liste',
    filters: 'Filter',
    all: 'Alle',
    noneTitle: 'Nichts passt',
    none: 'Ändern oder löschen Sie die Filter.',
    key: 'API-Schlüssel',
    model: 'Modell',
    clearFilters: 'Filter löschen',
    columns: 'Spalten',
    chooseColumns: 'Spalten auswählen.',
    usualColumns: 'Übliche Spalten anzeigen',
  },
})
