import { setTimeout as sleep } from 'node:timers/promises'

/** The heap of a Node process, through its inspector. */
export interface Heap {
  /** Has it collect all of its garbage; answers the bytes that live on, with the buffers that its objects hold. */
  collect(): Promise<number>
  close(): void
}

const patienceMs = 5000

/**
 * Wakes the inspector of a process that was started with `--inspect-port` and connects to it. The process runs as
 * before, at full speed. Throws when it does not answer.
 */
export async function openHeap({ pid, port }: { pid: number; port: number }): Promise<Heap> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await findDebugger(port))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let lastId = 0
  const ask = (method: string) =>
    new Promise<Record<string, number>>(resolve => {
      const id = ++lastId
      const listen = ({ data }: MessageEvent) => {
        const answer = JSON.parse(data)
        if (answer.id !== id) return
        socket.removeEventListener('message', listen)
        resolve(answer.result)
      }
      socket.addEventListener('message', listen)
      socket.send(JSON.stringify({ id, method }))
    })
  return {
    async collect() {
      await ask('HeapProfiler.collectGarbage')
      const { usedSize = Number.NaN, backingStorageSize = Number.NaN } = await ask('Runtime.getHeapUsage')
      return usedSize + backingStorageSize
    },
    close: () => socket.close(),
  }
}

async function findDebugger(port: number): Promise<string> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
      return target.webSocketDebuggerUrl
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(20)
    }
  }
}
