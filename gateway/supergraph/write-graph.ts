import { writeFile } from 'node:fs/promises'
import { graphFiles } from './graph-files.ts'
import { graphFolder } from './graph-folder.ts'

// npm run graph: writes schema/graph anew.
for (const [name, text] of await graphFiles()) await writeFile(new URL(name, graphFolder), text)
