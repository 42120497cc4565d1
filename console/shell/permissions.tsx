import type { ComponentProps, ReactNode } from 'react'
import type { PermittedField } from '../graph/documents.ts'
import { useText } from '../text/language.ts'
import { Button } from '../ui/button.tsx'
import { notify } from '../ui/toasts.tsx'
import { messages } from './messages.ts'
import { useViewer } from './use-viewer.ts'

/**
 * Returns a function that returns why the user may not use a field of the graph, or `undefined` if the user may. Until
 * the graph has reported the user's role, everything is permitted here; the graph decides in any case.
 */
export function useRefusal(): (field: PermittedField) => string | undefined {
  const text = useText(messages)
  const viewer = useViewer()
  return field => {
    if (!viewer || viewer.permittedFields.includes(field)) return undefined
    return text.notPermitted(text.roles[viewer.role ?? 'VIEWER'])
  }
}

/**
 * A button for an operation of the graph. If the user's role does not permit the operation, the button is dimmed, and
 * says why when it is pressed.
 */
export function PermittedButton({
  field,
  ...props
}: ComponentProps<typeof Button> & { field: PermittedField }) {
  const refusal = useRefusal()(field)
  if (refusal === undefined) return <Button {...props} />
  return <Button {...props} type="button" aria-disabled title={refusal} onClick={() => notify(refusal)} />
}

/** The fields of a form for an operation of the graph, disabled if the user's role does not permit the operation. */
export function PermittedFields({ field, children }: { field: PermittedField; children: ReactNode }) {
  const isRefused = useRefusal()(field) !== undefined
  return (
    <fieldset disabled={isRefused} className="flex flex-col gap-4">
      {children}
    </fieldset>
  )
}

/** A line that says why the fields of a form cannot be changed. Without a refusal, nothing is shown. */
export function Refusal({ field }: { field: PermittedField }) {
  const refusal = useRefusal()(field)
  return refusal === undefined ? null : <p className="text-sm text-muted">{refusal}</p>
}
