import { useEffect, useState } from 'react'

let token = ''

/**
 * Returns the token of the link that opened the page, or an empty text. It is in the fragment of the address, which no
 * server sees, and is removed from the address. Another link that is opened in the same tab replaces it.
 */
export function useLinkToken(): string {
  const [current, setCurrent] = useState(takeToken)
  useEffect(() => {
    const onChange = () => setCurrent(takeToken())
    window.addEventListener('hashchange', onChange)
    return () => window.removeEventListener('hashchange', onChange)
  }, [])
  return current
}

/** Takes the token out of the address and keeps it while the console is loaded, for example during a log-in. */
export function takeToken(): string {
  const given = location.hash.slice(1)
  if (given !== '') {
    token = given
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return token
}
