import { defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Audit log',
    intro:
      'What operators and their commands changed on the platform itself. Actions on an account are in the log of that account.',
    action: 'Action',
    actions: {
      putModel: 'Entry published',
      updateModel: 'Model updated',
      deleteModel: 'Model deleted',
      changeModels: 'Models changed',
    },
    unfinished: 'Outcome unknown',
    operator: 'Operator',
    command: 'A command',
    target: 'Object ID',
    object: 'Object and fields',
    from: 'From',
    to: 'To',
    time: 'Time',
    address: 'IP address',
    emptyTitle: 'No entries yet',
    empty: 'Changes of the catalogue by operators appear here.',
  },
  de: {
    title: 'Audit-Log',
    intro:
      'Was Betreiber und ihre Befehle an der Plattform selbst geändert haben. Aktionen an einem Konto stehen im Log dieses Kontos.',
    action: 'Aktion',
    actions: {
      putModel: 'Eintrag veröffentlicht',
      updateModel: 'Modell geändert',
      deleteModel: 'Modell gelöscht',
      changeModels: 'Modelle geändert',
    },
    unfinished: 'Ergebnis unbekannt',
    operator: 'Betreiber',
    command: 'Ein Befehl',
    target: 'ID des Objekts',
    object: 'Objekt und Felder',
    from: 'Von',
    to: 'Bis',
    time: 'Zeit',
    address: 'IP-Adresse',
    emptyTitle: 'Noch keine Einträge',
    empty: 'Änderungen am Katalog durch Betreiber erscheinen hier.',
  },
})
