import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { isReachable } from '../session/connection.ts'
import { ServiceError } from '../session/rest.ts'

/**
 * Returns the component of a page whose script is loaded when it opens. The router reloads the window if a script is
 * missing, because a new version may have replaced it. Without a connection, the window would lose its content, so the
 * page shows the error instead.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  return lazyRouteComponent(() => loadScript(load))
}

/** Loads a script. Throws `unreachable` if the service does not answer. */
export async function loadScript<Script>(load: () => Promise<Script>): Promise<Script> {
  try {
    return await load()
  } catch (error) {
    if (await isReachable()) throw error
    throw new ServiceError('The page could not be loaded.', { code: 'unreachable' })
  }
}
