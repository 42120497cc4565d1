import { type ReactNode, useEffect } from 'react'
import { chooseLanguage, languages, useLanguage } from '../text/language.ts'
import { Brand } from './brand.tsx'

/** A page without a session: a narrow form in the middle. */
export function EntryPage({
  title,
  children,
  footer,
}: {
  title: string
  children: ReactNode
  footer?: ReactNode
}) {
  const language = useLanguage()
  const other = language === 'en' ? 'de' : 'en'
  useEffect(() => {
    document.title = `${title} · Rubicon`
  }, [title])
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-4 py-10">
      <div className="flex justify-center">
        <Brand />
      </div>
      <div className="flex flex-col gap-5 rounded-lg border border-line bg-surface p-6 shadow-raised">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3 px-1 text-sm text-muted">
        <div>{footer}</div>
        <button type="button" lang={other} className="underline" onClick={() => chooseLanguage(other)}>
          {languages[other]}
        </button>
      </div>
    </main>
  )
}
