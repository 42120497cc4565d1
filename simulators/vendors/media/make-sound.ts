export const soundTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  aac: 'audio/aac',
  flac: 'audio/flac',
  opus: 'audio/opus',
} as const

export type SoundFormat = keyof typeof soundTypes

const sampleRate = 24_000
const toneHz = 220

/** Yields a sound in the pieces of a stream: a tone for `wav` and `pcm`, silence for the other formats. */
export function* makeSound(format: SoundFormat, seconds: number): Iterable<Buffer> {
  switch (format) {
    case 'wav':
      yield wavHeader(Math.round(seconds * sampleRate))
      return yield* tone(seconds)
    case 'pcm':
      return yield* tone(seconds)
    case 'mp3':
      return yield* repeat(silentMp3, (seconds * 44_100) / 1_152)
    case 'aac':
      return yield* repeat(silentAac, (seconds * 44_100) / 1_024)
    case 'flac':
      return yield emptyFlac
    case 'opus':
      return yield emptyOpus
  }
}

/** Returns the header of a WAV with 16 bits and one channel. */
function wavHeader(samples: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples * 2, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples * 2, 40)
  return header
}

function* tone(seconds: number): Iterable<Buffer> {
  let left = Math.round(seconds * sampleRate)
  while (left > 0) {
    const samples = Math.min(left, oneSecond.length / 2)
    yield oneSecond.subarray(0, samples * 2)
    left -= samples
  }
}

/** A whole number of waves, so that consecutive seconds join without a click. */
const oneSecond = Buffer.from(
  Int16Array.from({ length: sampleRate }, (_, at) =>
    Math.round(Math.sin((at / sampleRate) * toneHz * 2 * Math.PI) * 8_000),
  ).buffer,
)

function* repeat(frame: Buffer, times: number): Iterable<Buffer> {
  for (let left = Math.max(1, Math.ceil(times)); left > 0; left -= 64)
    yield Buffer.concat(Array.from({ length: Math.min(64, left) }, () => frame))
}

/** A silent frame of MPEG-1 layer 3: 32 kbit/s, 44.1 kHz, one channel. */
const silentMp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x10, 0xc4]), Buffer.alloc(100)])

/** A silent frame of AAC in ADTS: 44.1 kHz, one channel. */
const silentAac = Buffer.from([0xff, 0xf1, 0x50, 0x40, 0x01, 0x7f, 0xfc, 0x01, 0x18, 0x20, 0x07])

/** A FLAC header without samples: 44.1 kHz, one channel. */
const emptyFlac = Buffer.concat([
  Buffer.from('fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from([0x0a, 0xc4, 0x40, 0xf0, 0, 0, 0, 0]),
  Buffer.alloc(16),
])

/** The first page of an Ogg Opus file. */
const emptyOpus = Buffer.concat([
  Buffer.from('OggS\0\x06', 'latin1'),
  Buffer.alloc(8),
  Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 19]),
  Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1'),
])
