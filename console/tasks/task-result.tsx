import { useText } from '../text/language.ts'
import { problemText } from '../text/problems/problems.ts'
import { Icon } from '../ui/icon.tsx'
import type { Task } from './documents.ts'
import { messages } from './messages.ts'

/** The files that a task produced, or why it produced none. */
export function TaskResult({ task }: { task: Task }) {
  const text = useText(messages)
  const { results, error, kind, status, progress } = task
  if (error)
    return (
      <p className="rounded-md bg-danger-soft px-3 py-2 break-words text-danger">
        {problemText({ name: error.code, message: error.message })}{' '}
        <code className="font-mono text-xs">{error.code}</code>
      </p>
    )
  if (status === 'PENDING')
    return (
      <progress
        aria-label={text.progress}
        className="meter h-1 w-full text-accent-fill"
        max={100}
        {...(progress !== null && { value: progress })}
      />
    )
  return (
    <div className="flex flex-col gap-3">
      {(results ?? []).map(({ url, contentType }) => (
        <figure key={url} className="flex flex-col gap-1">
          <Player url={url} isVideo={kind === 'VIDEO'} contentType={contentType} />
          <figcaption>
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex items-center gap-1 text-sm text-muted underline hover:text-ink"
            >
              {text.openFile}
              <Icon name="external" className="size-3" />
            </a>
          </figcaption>
        </figure>
      ))}
    </div>
  )
}

function Player({
  url,
  isVideo,
  contentType,
}: {
  url: string
  isVideo: boolean
  contentType: string | null
}) {
  const text = useText(messages)
  if (isVideo || contentType?.startsWith('video/'))
    return (
      // biome-ignore lint/a11y/useMediaCaption: generated videos have no captions
      <video
        controls
        playsInline
        preload="metadata"
        aria-label={text.video}
        src={url}
        className="max-h-96 w-full rounded-md bg-canvas"
      />
    )
  return (
    // biome-ignore lint/a11y/useMediaCaption: generated sounds have no captions
    <audio controls preload="metadata" aria-label={text.sound} src={url} className="w-full" />
  )
}
