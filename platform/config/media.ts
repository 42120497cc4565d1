import { bool, integer, noneOr, optional, type Setting, text, url } from './parsers.ts'

/** The storage of generated and uploaded media, and its limits. The public address is `MEDIA_URL`. */
export const media = {
  mediaFolder: {
    env: 'MEDIA_FOLDER',
    doc: "the folder in which media is stored if there is no bucket. Edges and workers share it. `none` stores no media: results are the vendors' own URLs, and uploads are refused",
    default: '.rubicon/media',
    parse: noneOr(text),
  },
  mediaBucket: {
    env: 'MEDIA_S3_BUCKET',
    doc: 'the bucket in which media is stored, at S3 or a compatible service. Each file is first written to the folder for temporary files (TMPDIR)',
    default: '',
    parse: text,
  },
  mediaBucketEndpoint: {
    env: 'MEDIA_S3_ENDPOINT',
    doc: 'the URL of the S3 service; AWS if empty',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  mediaBucketRegion: {
    env: 'MEDIA_S3_REGION',
    doc: 'the region of the S3 service',
    default: 'us-east-1',
    parse: text,
  },
  mediaBucketKeyId: {
    env: 'MEDIA_S3_ACCESS_KEY_ID',
    doc: 'the ID of the S3 access key. If empty, the default credential chain of the AWS SDK applies',
    default: '',
    parse: text,
  },
  mediaBucketSecret: {
    env: 'MEDIA_S3_SECRET_ACCESS_KEY',
    doc: 'the secret of the S3 access key',
    default: '',
    parse: text,
  },
  mediaBucketInPath: {
    env: 'MEDIA_S3_PATH_STYLE',
    doc: 'whether the bucket is part of the path, `https://host/bucket`, instead of the host name',
    default: 'false',
    parse: bool,
  },
  mediaDays: {
    env: 'MEDIA_DAYS',
    doc: 'number of days after which stored media is deleted; for uploads, after their last use',
    default: '14',
    parse: integer(1, 3650),
  },
  resultLimitBytes: {
    env: 'RESULT_LIMIT_BYTES',
    doc: 'maximum size of a generated file that is downloaded from a vendor and stored, in bytes',
    default: '2147483648',
    parse: integer(1024, 2 ** 40),
  },
  ownResultLimitBytes: {
    env: 'OWN_RESULT_LIMIT_BYTES',
    doc: "the same limit for files that vendors make with a customer's own credential, for which nothing is charged",
    default: '268435456',
    parse: integer(1024, 2 ** 40),
  },
  uploadLimitBytes: {
    env: 'UPLOAD_LIMIT_BYTES',
    doc: 'maximum size of an upload, and of an image or video within a request, in bytes',
    default: '26214400',
    parse: integer(1024, 1 << 30),
  },
} satisfies Record<string, Setting<unknown>>
