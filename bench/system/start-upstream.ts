import { type NodeProcess, startNode } from './start-node.ts'

/** Starts the benchmark's upstream, the same for floor and edge. */
export function startUpstream(folder: string): Promise<NodeProcess> {
  return startNode({
    name: 'upstream',
    entry: 'bench/upstream/main.ts',
    words: port => [String(port)],
    folder,
  })
}
