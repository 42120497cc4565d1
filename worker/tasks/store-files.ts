import { MediaRefused } from '../../domain/media/bound-source.ts'
import { maxResultBytes } from '../../domain/media/media.ts'
import { discardMedia, type StoredMedia, storeMedia } from '../../domain/media/store-media.ts'
import type { TaskResult } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { pollMedia } from '../../upstreams/call/call-media.ts'
import { openMediaFile } from '../../upstreams/call/open-media-file.ts'
import type { MediaFile } from '../../upstreams/media-adapter.ts'
import type { Target } from '../../upstreams/targets.ts'
import { boundTarget } from './find-targets.ts'
import { credentialDeleted, isLost, resultLost, resultUnusable } from './task-ends.ts'
import { change, finish, type TaskRun, tryLater, upstreamOf } from './task-run.ts'

/** Maximum number of requests for a file that is no media: a vendor may answer with an error page once. */
const maxUnusable = 5

/** Continues a task whose files are not stored yet. If their URLs may have expired, they are requested again. */
export async function storeFiles(run: TaskRun): Promise<void> {
  const { task } = run
  if (task.isCancelRequested) await change(run, { refusesCancel: true })
  if (isLost(run)) return finish(run, resultLost)
  try {
    const target = await boundTarget(run)
    const files = task.failures > 0 ? await pollFilesAgain(run, target) : undefined
    return await storeMade(run, { target, files: files ?? filesOf(run) })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.errorName === 'credential_not_found' ? finish(run, credentialDeleted) : tryLater(run, error)
  }
}

/**
 * Stores the vendor's files and ends the task as successful. If that fails, the task is not charged, and storing is
 * retried later.
 */
export async function storeMade(
  run: TaskRun,
  { target, files }: { target: Target; files: readonly MediaFile[] },
): Promise<void> {
  const { services, task } = run
  if (!services.media.storage) return finishUnstored(run, files)
  const stored: StoredMedia[] = []
  try {
    for (const file of files) stored.push(await storeFile(run, { target, file }))
  } catch (error) {
    for (const file of stored) await discardMedia(services.media, { ...file, accountId: task.accountId })
    if (error instanceof Problem && error.errorName === 'allowance_exceeded')
      return finish(run, { status: 'failed', code: error.errorName, message: error.message })
    if (error instanceof MediaRefused && (error.reason === 'too_large' || task.failures + 1 >= maxUnusable))
      return finish(run, resultUnusable)
    return tryLater(run, error instanceof Error ? error : new Error(String(error)))
  } finally {
    dropUnread(files)
  }
  return finish(run, { status: 'success', results: stored.map(resultOf) })
}

async function storeFile(
  { services, task, stopping }: TaskRun,
  { target, file }: { target: Target; file: MediaFile },
): Promise<StoredMedia> {
  const { upstreams, media } = services
  const isOwn = task.byokId !== null
  const maxBytes = maxResultBytes(media, isOwn)
  const cancellation = stopping.fork()
  // `storeMedia` limits the size: a file that is too long is no fault of the connection and is not retried.
  const unbounded = { target, file, maxBytes: Number.MAX_SAFE_INTEGER, cancellation }
  const { body, contentType, bytes } = await openMediaFile(upstreams, unbounded)
  const { accountId, id: taskId, requestId } = task
  return storeMedia(media, {
    accountId,
    kind: 'result',
    isOwn,
    source: body,
    maxBytes,
    contentType,
    bytes,
    taskId,
    requestId,
  })
}

function resultOf({ url, contentType, bytes, expiresAt }: StoredMedia): TaskResult {
  return { url, contentType, bytes, expiresAt: expiresAt.toISOString() }
}

/** Without media storage, the results are the vendor's own URLs. */
function finishUnstored(run: TaskRun, files: readonly MediaFile[]): Promise<void> {
  dropUnread(files)
  const results = files.flatMap(file =>
    'url' in file
      ? [{ url: file.url, contentType: file.contentType ?? null, bytes: null, expiresAt: null }]
      : [],
  )
  return finish(run, results.length === files.length ? { status: 'success', results } : resultLost)
}

/** Destroys the streams of files that will not be read. */
function dropUnread(files: readonly MediaFile[]): void {
  for (const file of files) if ('content' in file && !Buffer.isBuffer(file.content)) file.content.destroy()
}

/** Requests the files from the vendor again. Resolves to undefined if it does not return them. */
async function pollFilesAgain(run: TaskRun, target: Target): Promise<readonly MediaFile[] | undefined> {
  const { services, task, call, stopping } = run
  if (!task.upstream) return undefined
  const upstream = upstreamOf(run)
  const known = { call, target, accountId: task.accountId, upstream, cancellation: stopping.fork() }
  const state = await pollMedia(services.upstreams, known).catch(() => undefined)
  return state?.status === 'done' ? state.files : undefined
}

/** The files in the task's row. */
function filesOf({ task }: TaskRun): MediaFile[] {
  const { files } = task
  if (Array.isArray(files) && files.every(isFile)) return files
  throw new Problem('internal', { internal: `the task ${task.id} has no files` })
}

function isFile(value: unknown): value is MediaFile {
  return typeof value === 'object' && value !== null && ('url' in value || 'path' in value)
}
