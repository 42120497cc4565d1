import { createConnection } from 'node:net'

/** What a Redis on that port of loopback answers to one inline command; undefined when nobody answers. */
export function askRedis(port: number, command: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(`${command}\r\n`))
    const finish = (answer?: string) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(500, () => finish())
    socket.once('data', data => finish(data.toString()))
    socket.once('error', () => finish())
    socket.once('close', () => finish())
  })
}
