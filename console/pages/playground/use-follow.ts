import { type RefObject, useEffect, useRef } from 'react'

/**
 * Keeps the end of a growing page in the window, from a call of `follow` until the reader scrolls up. `end` is the element at
 * the end.
 */
export function useFollow(): { end: RefObject<HTMLDivElement>; follow(): void } {
  const end = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(false)
  useEffect(() => {
    let before = window.scrollY
    const onScroll = () => {
      if (window.scrollY < before) isFollowing.current = false
      before = window.scrollY
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  useEffect(() => {
    if (isFollowing.current) end.current?.scrollIntoView({ block: 'nearest' })
  })
  return {
    end,
    follow() {
      isFollowing.current = true
    },
  }
}
