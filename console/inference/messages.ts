import { defineMessages } from '../text/language.ts'

/** The texts of forms of parameters and of errors that both playgrounds show. */
export const messages = defineMessages({
  en: {
    unset: 'Not set',
    initial: (value: string) => `${value} (default)`,
    addFiles: 'Add files',
    model: 'Model',
    loadingModels: 'Models are loading',
    noModels: 'There is no such model for this account.',
    createKey: 'Create it again',
    created: 'The playground has a key again. Send your request again.',
    toKeys: 'API keys',
    addCredits: 'Add credits',
    playgrounds: 'Playgrounds',
    chat: 'Chat',
    images: 'Images',
    videos: 'Video',
    audio: 'Audio',
  },
  de: {
    unset: 'Nicht gesetzt',
    initial: (value: string) => `${value} (Vorgabe)`,
    addFiles: 'Dateien hinzufügen',
    model: 'Modell',
    loadingModels: 'Modelle werden geladen',
    noModels: 'Für dieses Konto gibt es kein solches Modell.',
    createKey: 'Neu anlegen',
    created: 'Der Playground hat wieder einen Schlüssel. Senden Sie Ihre Anfrage erneut.',
    toKeys: 'API-Schlüssel',
    addCredits: 'Guthaben aufladen',
    playgrounds: 'Playgrounds',
    chat: 'Chat',
    images: 'Bilder',
    videos: 'Video',
    audio: 'Audio',
  },
})
