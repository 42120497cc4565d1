import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Provider } from 'urql'
import { openClient } from '../../graph/client.ts'
import { rootOptions } from '../../shell/route.tsx'
import { activeKey, forgetKey, useOperator } from '../session/operator-key.ts'
import { EnterKey } from './enter-key.tsx'
import { OperatorShell } from './shell.tsx'

/** The root of an operator's pages. */
export const operatorRootRoute = createRootRoute(rootOptions)

/** The address of the customers' console, to which the name of the service leads. It is another document. */
export const customersRoute = createRoute({
  getParentRoute: () => operatorRootRoute,
  path: '/',
  component: () => {
    location.replace('/console')
    return null
  },
})

/** The parent of all pages of an operator. Without a key, its form is shown in their place. */
export const operatorRoute = createRoute({
  getParentRoute: () => operatorRootRoute,
  path: 'operator',
  component: OperatorPages,
})

/** `/console/operator` leads to the first page. */
export const operatorIndexRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/accounts' })
  },
})

function OperatorPages() {
  const operator = useOperator()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another operator has another client, and so another cache
  const client = useMemo(() => openClient({ token: async () => activeKey(), refused: forgetKey }), [operator])
  if (!operator) return <EnterKey />
  return (
    <Provider value={client}>
      <OperatorShell operator={operator} />
    </Provider>
  )
}
