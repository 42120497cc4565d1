import { currentLanguage, defineMessages, type Language, onLanguage } from '../language.ts'
import { type ProblemTexts, type ServiceProblem, textIn } from './text-in.ts'

/** Texts that are needed when nothing more can be loaded. */
const messages = defineMessages({
  en: { unreachable: 'The service does not answer. Check your connection and try again.' },
  de: { unreachable: 'Der Dienst antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es erneut.' },
})

/** Texts are loaded when a language needs them, so that the first page does not wait for them. */
const loaders: Record<Language, () => Promise<ProblemTexts>> = {
  en: async () => (await import('./english.ts')).english,
  de: async () => (await import('./german.ts')).german,
}

const loaded = new Map<Language, ProblemTexts>()
onLanguage(load)
load()

function load(): void {
  const language = currentLanguage()
  // Without its texts, a language has the service's own.
  loaders[language]().then(
    texts => loaded.set(language, texts),
    () => undefined,
  )
}

/** Returns the text of an error in the reader's language. Unknown errors keep the service's English text. */
export function problemText(problem: ServiceProblem): string {
  if (problem.name === 'unreachable') return messages[currentLanguage()].unreachable
  const texts = loaded.get(currentLanguage())
  return texts ? textIn(texts, problem) : problem.message
}
