import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openRouter } from './router.ts'
import './stores/theme.ts'
import './ui/styles.css'

function show(router: AnyRouter): void {
  const root = document.querySelector('#root')
  if (!root) throw new Error('index.html has no #root')
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
}

// Operators have a separate router, which customers do not load.
if (/^\/console\/operator(\/|$)/.test(location.pathname))
  void import('./operator/router.ts').then(({ openOperatorRouter }) => show(openOperatorRouter()))
else show(openRouter())
