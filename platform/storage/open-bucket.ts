import { Readable } from 'node:stream'
import { GetObjectCommand, NoSuchKey, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { Disk } from 'flydrive'
import { S3Driver } from 'flydrive/drivers/s3'
import type { Config } from '../config/read-config.ts'
import { keepExpiryRules } from './keep-expiry-rules.ts'
import { spool } from './spool.ts'
import { FileMissing, type Storage } from './storage.ts'

/** Maximum time in which the service accepts a connection, and maximum time without data, in milliseconds. */
const connectTimeoutMs = 5_000
const silenceTimeoutMs = 30_000

/** A slow reader keeps a connection to the service for as long as it reads. */
const maxSockets = 1_000

/** Storage in a bucket of S3. Needs no ACL, and no checksums that services other than AWS do not know. */
export function openBucket(config: Config): Storage {
  const bucket = config.mediaBucket
  const client = openClient(config)
  const disk = new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }))
  return {
    async write(name, source, { contentType }) {
      // S3 requires the length first, and an incomplete source must not start a request.
      const whole = await spool(source)
      try {
        await disk.putStream(name, whole.read(), { contentType, contentLength: whole.bytes })
      } finally {
        await whole.close()
      }
    },
    async read(name, range) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: name,
        Range: range && `bytes=${range.first}-${range.last}`,
      })
      const { Body } = await client.send(command).catch(error => {
        throw error instanceof NoSuchKey ? new FileMissing(name, error) : error
      })
      if (!(Body instanceof Readable)) throw new FileMissing(name)
      return Body
    },
    has: name => disk.exists(name),
    async *list(prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client },
        { Bucket: bucket, Prefix: prefix },
      ))
        for (const { Key } of Contents) if (Key !== undefined) yield Key
    },
    remove: name => disk.delete(name),
    expireAfter: (days, prefixes) => keepExpiryRules(client, { bucket, days, prefixes }),
    close: () => client.destroy(),
  }
}

function openClient(config: Config): S3Client {
  const { mediaBucketEndpoint, mediaBucketKeyId, mediaBucketSecret } = config
  const agent = { keepAlive: true, maxSockets }
  return new S3Client({
    region: config.mediaBucketRegion,
    forcePathStyle: config.mediaBucketInPath,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: silenceTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(mediaBucketEndpoint !== '' && { endpoint: mediaBucketEndpoint }),
    ...(mediaBucketKeyId !== '' && {
      credentials: { accessKeyId: mediaBucketKeyId, secretAccessKey: mediaBucketSecret },
    }),
  })
}
