import type { RedisClient } from './open-redis.ts'
import { openRedisListener } from './open-redis.ts'

/** News between processes over publish/subscribe. News are hints that can get lost. */
export interface News {
  /** Sends a message to all processes. Resolves to false if Redis is unavailable. Listeners therefore also poll. */
  publish(topic: string, message: unknown): Promise<boolean>
  /** Calls `listener` with each message until the returned function is called. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  close(): void
}

/** Delay before a failed subscription is repeated, in milliseconds. */
const subscribeAgainMs = 500

/** Opens the news over Redis. Every topic is a channel under the prefix. */
export function openNews(options: {
  redis: RedisClient
  url: string
  cluster: boolean
  prefix: string
  name: string
}): News {
  const { url, cluster } = options
  const listener = openRedisListener({ url, cluster, name: `${options.name}-news` })
  const listeners = new Map<string, Set<(message: unknown) => void>>()
  listener.on('message', (channel: string, text: string) => {
    const message: unknown = JSON.parse(text)
    for (const listen of listeners.get(channel) ?? []) listen(message)
  })

  /** Subscribes, and again while the node at which a cluster's listener subscribes is just lost. */
  const listenTo = (channel: string) => {
    listener.subscribe(channel).catch(() => {
      if (listener.status === 'end') return
      setTimeout(() => listeners.has(channel) && listenTo(channel), subscribeAgainMs).unref()
    })
  }

  return {
    async publish(topic, message) {
      return options.redis.publish(`${options.prefix}${topic}`, JSON.stringify(message)).then(
        () => true,
        () => false,
      )
    },
    subscribe(topic, listen) {
      const channel = `${options.prefix}${topic}`
      const known = listeners.get(channel)
      if (known) known.add(listen)
      else {
        listeners.set(channel, new Set([listen]))
        listenTo(channel)
      }
      return () => {
        const left = listeners.get(channel)
        left?.delete(listen)
        if (left?.size !== 0) return
        listeners.delete(channel)
        listener.unsubscribe(channel).catch(() => {})
      }
    },
    close: () => listener.disconnect(),
  }
}
