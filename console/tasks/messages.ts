import { defineMessages } from '../text/language.ts'

/** The texts about a task, wherever it is shown. */
export const messages = defineMessages({
  en: {
    states: {
      QUEUED: 'Queued',
      SUBMITTING: 'Being sent',
      RUNNING: 'Running',
      STORING: 'Storing',
      SUCCESS: 'Succeeded',
      FAILED: 'Failed',
      CANCELLED: 'Cancelled',
    },
    kinds: { VIDEO: 'Video', SPEECH: 'Speech', AUDIO: 'Sound and music' },
    cancelling: 'Being cancelled',
    progress: 'Progress',
    openFile: 'Open the file',
    video: 'The generated video',
    sound: 'The generated sound',
    cancel: 'Cancel task',
    cancelTitle: 'Cancel this task?',
    cancelText:
      'A task that the vendor has not received ends at once and costs nothing. A vendor can refuse to cancel.',
    cancelled: 'The task is cancelled. Nothing is charged.',
    cancelSent: 'The vendor is asked to cancel the task.',
  },
  de: {
    states: {
      QUEUED: 'In der Warteschlange',
      SUBMITTING: 'Wird gesendet',
      RUNNING: 'Läuft',
      STORING: 'Wird gespeichert',
      SUCCESS: 'Erfolgreich',
      FAILED: 'Fehlgeschlagen',
      CANCELLED: 'Abgebrochen',
    },
    kinds: { VIDEO: 'Video', SPEECH: 'Sprache', AUDIO: 'Klang und Musik' },
    cancelling: 'Wird abgebrochen',
    progress: 'Fortschritt',
    openFile: 'Datei öffnen',
    video: 'Das erzeugte Video',
    sound: 'Der erzeugte Klang',
    cancel: 'Aufgabe abbrechen',
    cancelTitle: 'Diese Aufgabe abbrechen?',
    cancelText:
      'Eine Aufgabe, die der Anbieter noch nicht erhalten hat, endet sofort und kostet nichts. Ein Anbieter kann den Abbruch ablehnen.',
    cancelled: 'Die Aufgabe ist abgebrochen. Es wird nichts berechnet.',
    cancelSent: 'Der Anbieter wird um den Abbruch gebeten.',
  },
})
