import type { Writable } from 'node:stream'

/** Resolves when the stream takes more or will never again. */
function roomOrClosed(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (out.destroyed) return resolve()
    const done = () => {
      out.off('drain', done)
      out.off('close', done)
      resolve()
    }
    out.once('drain', done)
    out.once('close', done)
  })
}

/**
 * Writes chunks into a stream and ends it, at the reader's speed. A reader that hangs up ends the reading and is no failure: ffmpeg
 * does so whenever it seeks or has enough. Throws only what reading the chunks threw; the stream is destroyed then.
 */
export async function pipeTo(chunks: AsyncIterable<Uint8Array>, out: Writable): Promise<void> {
  out.on('error', () => {})
  try {
    for await (const chunk of chunks) {
      if (out.destroyed) return
      if (!out.write(chunk)) await roomOrClosed(out)
      if (out.destroyed) return
    }
    out.end()
  } catch (error) {
    out.destroy()
    throw error
  }
}
