import { type NodeProcess, startNode } from './start-node.ts'

/** Starts the floor before an upstream. */
export function startFloor(folder: string, upstream: NodeProcess): Promise<NodeProcess> {
  return startNode({
    name: 'floor',
    entry: 'bench/floor/main.ts',
    words: port => [String(port), `http://127.0.0.1:${upstream.port}`],
    folder,
  })
}
