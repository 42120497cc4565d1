import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** The heap of a Node process, through its inspector. */
export interface Heap {
  /** Collects all garbage. Resolves to the bytes of the remaining objects and their buffers. */
  collect(): Promise<number>
  close(): void
}

const timeoutMs = 5000

/**
 * Wakes the inspector of a process that was started with `--inspect-port`, and connects to it. The process keeps its
 * full speed. Throws if the inspector does not answer.
 */
export async function openHeap({ pid, port }: { pid: number; port: number }): Promise<Heap> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await findDebugger(port))
  await once(socket, 'open')
  const call = async (method: string) => {
    socket.send(JSON.stringify({ id: 1, method }))
    const [message] = await once(socket, 'message') // without enabled domains there are no events
    return JSON.parse(String(message)).result
  }
  return {
    async collect() {
      await call('HeapProfiler.collectGarbage')
      const { usedSize, backingStorageSize = 0 } = await call('Runtime.getHeapUsage')
      return usedSize + backingStorageSize
    },
    close: () => socket.close(),
  }
}

async function findDebugger(port: number): Promise<string> {
  for (const startedAt = performance.now(); ; await sleep(20)) {
    try {
      const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
      return target.webSocketDebuggerUrl
    } catch (error) {
      if (performance.now() - startedAt > timeoutMs) throw error
    }
  }
}
