import { join } from 'node:path'
import { copyLibraries } from './libraries.ts'

// Part of `npm run build`.

await copyLibraries(join(import.meta.dirname, '../../dist/gateway/explorer'))
