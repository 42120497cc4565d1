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
import { credentialGone, isLost, resultLost, resultUnusable } from './task-ends.ts'
import { advance, finish, type TaskRun, tryLater, upstreamOf } from './task-run.ts'

/** A file that is no media is asked for so often: its vendor may have answered with something else once. */
const maxUnusable = 5

/** Takes up a task whose files are made and not stored yet. Their addresses may have expired: they are asked for anew. */
export async function storeFiles(run: TaskRun): Promise<void> {
  const { task } = run
  if (task.isCancelRequested) await advance(run, { refusesCancel: true })
  if (isLost(run)) return finish(run, resultLost)
  try {
    const target = await boundTarget(run)
    const files = task.failures > 0 ? await askAnew(run, target) : undefined
    return await storeMade(run, { target, files: files ?? filesOf(run) })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.errorName === 'credential_not_found' ? finish(run, credentialGone) : tryLater(run, error)
  }
}

/**
 * Stores what a vendor has made, and ends the task as successful. Where that fails the task stays as it is, neither lost
 * nor charged, and is tried again later.
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
  // `storeMedia` bounds it: what is too long is no fault of the connection, and is not tried again.
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

/** Where nothing is stored, results are passed on as the vendor links to them. */
function finishUnstored(run: TaskRun, files: readonly MediaFile[]): Promise<void> {
  dropUnread(files)
  const results = files.flatMap(file =>
    'url' in file
      ? [{ url: file.url, contentType: file.contentType ?? null, bytes: null, expiresAt: null }]
      : [],
  )
  return finish(run, results.length === files.length ? { status: 'success', results } : resultLost)
}

/** Streams that nobody reads any more. */
function dropUnread(files: readonly MediaFile[]): void {
  for (const file of files) if ('content' in file && !Buffer.isBuffer(file.content)) file.content.destroy()
}

/** The files as the vendor names them now; undefined where it does not say. */
async function askAnew(run: TaskRun, target: Target): Promise<readonly MediaFile[] | undefined> {
  const { services, task, call, stopping } = run
  if (!task.upstream) return undefined
  const upstream = upstreamOf(run)
  const known = { call, target, accountId: task.accountId, upstream, cancellation: stopping.fork() }
  const state = await pollMedia(services.upstreams, known).catch(() => undefined)
  return state?.status === 'done' ? state.files : undefined
}

/** The files that the row remembers. */
function filesOf({ task }: TaskRun): MediaFile[] {
  const { files } = task
  if (Array.isArray(files) && files.every(isFile)) return files
  throw new Problem('internal', { internal: `the task ${task.id} has no files` })
}

function isFile(value: unknown): value is MediaFile {
  return typeof value === 'object' && value !== null && ('url' in value || 'path' in value)
}
