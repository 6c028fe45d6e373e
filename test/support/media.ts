import sharp, { type Sharp } from 'sharp'
import type { Caller, TestApp } from './app.js'

/** Returns a picture with enough detail that compression does not shrink it to nothing. */
export const picture = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels,
      background: { r: 200, g: 120, b: 40, alpha: 1 },
    },
  }).composite([
    {
      input: {
        create: {
          width: Math.max(1, Math.floor(width / 2)),
          height: Math.max(1, Math.floor(height / 2)),
          channels: 3,
          background: '#2040a0',
        },
      },
      left: 0,
      top: 0,
    },
  ])

/** Returns frames of changing colour, each of this size, as raw pixels one below the other. */
export const animation = (width: number, height: number, frames: number): Sharp => {
  const pixels = Buffer.alloc(width * height * frames * 3)
  for (let frame = 0; frame < frames; frame++)
    pixels.fill(
      Math.floor((frame * 255) / frames),
      frame * width * height * 3,
      (frame + 1) * width * height * 3,
    )
  return sharp(pixels, {
    raw: { width, height: height * frames, channels: 3, pageHeight: height },
    limitInputPixels: false,
  })
}

interface Sent {
  as?: Caller
  fields?: Record<string, string>
  space?: '' | '/admin'
}

/** Uploads a file as a browser does. */
export const uploader =
  ({ send }: Pick<TestApp, 'send'>) =>
  async (
    name: string,
    content: Uint8Array | string,
    { as = 'admin', fields = {}, space = '' }: Sent = {},
  ) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob([content as BlobPart]), name)
    // As bytes: Node 24 ends the process if a service stops reading a streamed FormData.
    const request = new Request('http://x/', { method: 'POST', body: form })
    const body = await request.arrayBuffer()
    const headers = { 'Content-Type': request.headers.get('content-type') ?? '' }
    return send('POST', `/api/v1${space}/media/upload`, { as, body, headers })
  }
