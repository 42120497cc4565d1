import { defineMessages } from '../text/language.ts'

/** The texts about a delivery. */
export const deliveryMessages = defineMessages({
  en: {
    states: { PENDING: 'Pending', DELIVERED: 'Delivered', FAILED: 'Failed', GONE: 'Refused for good' },
    nextTry: 'Next attempt:',
    running: 'Running',
    noResponse: 'No response',
    answer: 'Response',
    sendAgain: 'Send again',
    sent: 'The callback is being sent again.',
  },
  de: {
    states: {
      PENDING: 'Ausstehend',
      DELIVERED: 'Zugestellt',
      FAILED: 'Fehlgeschlagen',
      GONE: 'Endgültig abgelehnt',
    },
    nextTry: 'Nächster Versuch:',
    running: 'Läuft',
    noResponse: 'Keine Antwort',
    answer: 'Antwort',
    sendAgain: 'Erneut senden',
    sent: 'Der Callback wird erneut gesendet.',
  },
})
