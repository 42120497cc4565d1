import { bool, integer, noneOr, optional, type Setting, text, url } from './parsers.ts'

/** Where generated and uploaded media is stored, and how much of it. Its public address is `MEDIA_URL`. */
export const media = {
  mediaFolder: {
    env: 'MEDIA_FOLDER',
    doc: 'the folder in which media is stored, where there is no bucket; edges and workers share it; `none` stores no media: results are then passed on as the vendor links to them, and uploads are refused',
    default: '.rubicon/media',
    parse: noneOr(text),
  },
  mediaBucket: {
    env: 'MEDIA_S3_BUCKET',
    doc: 'the bucket of S3, or of what speaks its protocol, in which media is stored instead; on its way there each file passes through the folder for temporary files (TMPDIR)',
    default: '',
    parse: text,
  },
  mediaBucketEndpoint: {
    env: 'MEDIA_S3_ENDPOINT',
    doc: 'the address of that service; empty is that of AWS',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  mediaBucketRegion: {
    env: 'MEDIA_S3_REGION',
    doc: 'its region',
    default: 'us-east-1',
    parse: text,
  },
  mediaBucketKeyId: {
    env: 'MEDIA_S3_ACCESS_KEY_ID',
    doc: 'the id of its access key; empty asks where AWS tools look: the environment, the machine, the pod',
    default: '',
    parse: text,
  },
  mediaBucketSecret: {
    env: 'MEDIA_S3_SECRET_ACCESS_KEY',
    doc: 'the secret of that access key',
    default: '',
    parse: text,
  },
  mediaBucketInPath: {
    env: 'MEDIA_S3_PATH_STYLE',
    doc: 'the bucket is named in the path, `https://host/bucket`, and not as a host of its own',
    default: 'false',
    parse: bool,
  },
  mediaDays: {
    env: 'MEDIA_DAYS',
    doc: 'days after which stored media is removed; an upload is counted from its last use',
    default: '14',
    parse: integer(1, 3650),
  },
  resultLimitBytes: {
    env: 'RESULT_LIMIT_BYTES',
    doc: 'largest generated file that is fetched from a vendor and stored, in bytes',
    default: '2147483648',
    parse: integer(1024, 2 ** 40),
  },
  mediaPerAddress: {
    env: 'MEDIA_PER_ADDRESS',
    doc: 'files that an edge process sends at the same time to one address (an IPv6 network of /64; four times as many to a /48); to all together eight times as many',
    default: '128',
    parse: integer(1, 100_000),
  },
  ownResultLimitBytes: {
    env: 'OWN_RESULT_LIMIT_BYTES',
    doc: "the same on a customer's own credential, which costs the customer nothing here",
    default: '268435456',
    parse: integer(1024, 2 ** 40),
  },
  uploadLimitBytes: {
    env: 'UPLOAD_LIMIT_BYTES',
    doc: 'largest upload, and largest image or video within a request, in bytes',
    default: '26214400',
    parse: integer(1024, 1 << 30),
  },
} satisfies Record<string, Setting<unknown>>
