import { connect, type Socket } from 'node:net'
import { ScanLimitExceeded, type Scanner, ScannerUnavailable, type ScanVerdict } from './port.ts'

// clamd keeps one length-prefixed piece in memory before it writes it to disk.
const largestPiece = 1 << 20
const longestReply = 4096

export type ClamdConfig = ({ host: string; port: number } | { path: string }) & {
  /** Milliseconds without any progress, and for the verdict after the last byte. clamd's MaxScanTime should be shorter. */
  timeout_ms?: number
}

/**
 * A ClamAV daemon, used with INSTREAM (clamd(8)) over TCP or a Unix socket, one connection per scan. Set
 * StreamMaxLength, MaxFileSize and MaxScanSize alike and `AlertExceedsMax yes`; otherwise it reports skipped
 * content as clean.
 */
export function clamdScanner(config: ClamdConfig): Scanner {
  async function health(): Promise<void> {
    const link = open({ ...config, timeout_ms: Math.min(config.timeout_ms ?? 5000, 5000) })
    try {
      link.socket.write('zPING\0')
      const reply = await link.reply
      if (reply !== 'PONG') throw new ScannerUnavailable(`clamd does not answer PING: ${reply.slice(0, 200)}`)
    } finally {
      link.socket.destroy()
    }
  }

  return {
    configured: true,

    async scan(source) {
      const link = open(config)
      try {
        link.socket.write('zINSTREAM\0')
        const ended = await send(link, source)
        return readVerdict(await link.reply, ended)
      } catch (error) {
        if (!isHangUp(error)) throw error
        // clamd refuses a long stream and closes at once; our pending writes can lose its reply. When it is
        // healthy, it refused this content.
        await health()
        throw new ScanLimitExceeded('clamd hung up on this content')
      } finally {
        link.socket.destroy()
      }
    },

    health,
  }
}

/** The connection broke while we were writing. */
function isHangUp(error: unknown): boolean {
  const cause =
    error instanceof ScannerUnavailable ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
  return cause?.code === 'EPIPE' || (cause?.code === 'ECONNRESET' && cause.syscall !== 'connect')
}

/** `reply` is the first NUL-terminated line, or a rejection; `settled` is true as soon as it is known. */
type Link = { socket: Socket; reply: Promise<string>; settled(): boolean }

function open(config: ClamdConfig): Link {
  const socket = 'path' in config ? connect(config.path) : connect(config.port, config.host)
  let settled = false
  const reply = new Promise<string>((resolve, reject) => {
    let received = ''
    const fail = (why: string, cause?: Error) => reject(new ScannerUnavailable(`clamd ${why}`, { cause }))
    socket.setTimeout(config.timeout_ms ?? 120_000, () => fail('took too long'))
    socket.on('data', (data) => {
      received += data.toString('latin1')
      const end = received.indexOf('\0')
      if (end >= 0) resolve(received.slice(0, end))
      else if (received.length > longestReply) fail('sent an endless reply')
    })
    socket.on('error', (error) => fail(`cannot be reached: ${error.message}`, error))
    socket.on('close', () => fail('broke off without a verdict'))
  })
  const settle = () => (settled = true)
  reply.then(settle, settle)
  return { socket, reply, settled: () => settled }
}

/** Sends the source; false when clamd replied or closed before the end. */
async function send({ socket, reply, settled }: Link, source: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of source) {
    // An empty piece would end the stream early, and clamd would scan only a part.
    for (let at = 0; at < chunk.length; at += largestPiece) {
      if (settled()) return false
      await writePiece(socket, chunk.subarray(at, at + largestPiece), reply)
    }
  }
  if (settled()) return false
  socket.write(Buffer.alloc(4))
  return true
}

async function writePiece(socket: Socket, piece: Uint8Array, reply: Promise<unknown>): Promise<void> {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(piece.length)
  socket.write(length)
  if (socket.write(piece)) return
  const { promise: drained, resolve } = Promise.withResolvers<void>()
  socket.once('drain', resolve)
  // A connection that ended never drains.
  await Promise.race([drained, reply.catch(() => {})])
  socket.off('drain', resolve)
}

/**
 * Parses clamd's one reply to INSTREAM, without its final NUL. Only the two documented verdicts count; OK is
 * valid only when the whole stream was sent (`ended`).
 */
function readVerdict(reply: string, ended: boolean): ScanVerdict {
  const signature = /^stream: ([\x21-\x7e]+) FOUND$/.exec(reply)?.[1]
  if (signature?.startsWith('Heuristics.Limits.Exceeded')) throw new ScanLimitExceeded(`clamd: ${signature}`)
  if (signature) return { infected: true, signature }
  if (reply === 'stream: OK' && ended) return { infected: false }
  if (reply === 'INSTREAM size limit exceeded. ERROR') throw new ScanLimitExceeded(`clamd: ${reply}`)
  throw new ScannerUnavailable(`clamd gave no verdict: ${JSON.stringify(reply.slice(0, 200))}`)
}
