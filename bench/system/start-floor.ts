import { type NodeProcess, startNode } from './start-node.ts'

/** How the floor passes on: as both libraries document it, or in the way that takes the least CPU. */
export type FloorKind = 'plain' | 'lean'

/** Starts the floor before an upstream. */
export function startFloor(folder: string, upstream: NodeProcess, kind: FloorKind): Promise<NodeProcess> {
  return startNode({
    name: 'floor',
    entry: 'bench/floor/main.ts',
    words: port => [String(port), `http://127.0.0.1:${upstream.port}`, kind],
    folder,
  })
}
