import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { finishBuild } from './build/finish-build.ts'

const root = import.meta.dirname
/** The system that the development server uses: the address that `npm start` prints. */
const target = process.env.RUBICON_URL ?? 'http://127.0.0.1:8080'

export default defineConfig(({ command }) => {
  // Tests and tools set another value, with which React would be built for development.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    root,
    base: '/console/',
    publicDir: false,
    plugins: [react(), tailwind(), finishBuild({ root, folder: join(root, '../dist/console') })],
    build: {
      target: 'es2023',
      write: false, // finishBuild writes the files, compressed
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      cssCodeSplit: false,
      cssTarget: ['chrome125', 'firefox125', 'safari17.5'], // The first ones with light-dark() and popovers.
      // One file for the first load: small files compress worse, and each is a request.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
      reportCompressedSize: false,
    },
    server: {
      port: 5173,
      proxy: Object.fromEntries(
        ['/api', '/graphql', '/account', '/v1', '/.well-known'].map(path => [
          path,
          { target, ws: true, rewriteWsOrigin: true },
        ]),
      ),
    },
  }
})
