import { createContext, lazy, type ReactNode, Suspense, useContext, useRef, useState } from 'react'
import { type AnyVariables, type DocumentInput, type OperationContext, useMutation } from 'urql'
import { faultsOf } from '../graph/faults.ts'

const ConfirmationDialog = lazy(() => import('./confirmation-dialog.tsx'))

/** Opens the dialog that confirms the session. Resolves to whether the user confirmed it. */
type Confirm = () => Promise<boolean>

const ConfirmContext = createContext<Confirm>(async () => false)

/** Shows the dialog of a confirmation over the page that needs it. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([])
  const confirm = useRef<Confirm>(
    () =>
      new Promise(resolve => {
        waiting.current.push(resolve)
        setIsOpen(true)
      }),
  )
  const close = (isConfirmed: boolean) => {
    setIsOpen(false)
    for (const resolve of waiting.current.splice(0)) resolve(isConfirmed)
  }
  return (
    <ConfirmContext.Provider value={confirm.current}>
      {children}
      {isOpen && (
        <Suspense>
          <ConfirmationDialog onClose={close} />
        </Suspense>
      )}
    </ConfirmContext.Provider>
  )
}

/**
 * `useMutation` for operations that need a recent confirmation (docs/sign-in.md). If the graph refuses the operation with
 * `confirmation_required`, the user confirms the session in a dialog, and the operation is repeated. If the user closes
 * the dialog, the result has the refusal.
 */
export function useConfirmedMutation<Data, Variables extends AnyVariables>(
  document: DocumentInput<Data, Variables>,
) {
  const [state, run] = useMutation(document)
  const confirm = useContext(ConfirmContext)
  const runConfirmed = async (variables: Variables, context?: Partial<OperationContext>) => {
    const result = await run(variables, context)
    const isRefused = result.error && faultsOf(result.error).problems.includes('confirmation_required')
    return isRefused && (await confirm()) ? run(variables, context) : result
  }
  return [state, runConfirmed] as const
}
