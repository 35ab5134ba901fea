import type { Writable } from 'node:stream'

/** Resolves when the stream accepts more data or has closed. */
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
 * Pipes chunks into a stream and ends it. A reader that closes early is no failure: ffmpeg does so when it
 * seeks or has enough. Throws only the errors of the chunks, and then destroys the stream.
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
