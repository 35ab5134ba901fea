import { isUtf8 } from 'node:buffer'
import { api, BODY_LIMIT, type Endpoint, type EndpointName } from '@custodia/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getNetwork } from '../ports/identity/interaction.ts'
import { getName } from './admit.ts'
import { isCheapToParse } from './cheap-json.ts'
import type { LoggedCaller } from './context.ts'
import { Problem } from './problem.ts'

const MIB = 1024 ** 2

/** Memory for bodies that are being read: in total, and per sender. */
interface Capacity {
  all: number
  each: number
}
const OF_CALLERS: Capacity = { all: 48 * MIB, each: 16 * MIB }
/** Unauthenticated calls have separate room, so that they cannot block known callers. */
const OF_ADDRESSES: Capacity = { all: 16 * MIB, each: 4 * MIB }

export interface BodyShare {
  /**
   * Reserves this many bytes in all. Problems: too_many_requests (the sender's share is used up), unavailable
   * (the total is).
   */
  grow(size: number): void
  /** Gives everything back. */
  release(): void
}

/** The memory for bodies that are being read, within this process. */
export interface BodyMemory {
  ofCaller(caller: LoggedCaller): BodyShare
  ofAddress(ip: string): BodyShare
}

export function makeBodyMemory(): BodyMemory {
  const [callers, addresses] = [makeRoom(OF_CALLERS), makeRoom(OF_ADDRESSES)]
  return {
    ofCaller: (caller) => callers(`${caller.kind} ${getName(caller)}`),
    ofAddress: (ip) => addresses(getNetwork(ip)),
  }
}

function makeRoom({ all, each }: Capacity): (sender: string) => BodyShare {
  let taken = 0
  const shares = new Map<string, number>()
  return (sender) => {
    let mine = 0
    const resize = (size: number) => {
      const share = (shares.get(sender) ?? 0) + size - mine
      if (size > mine) {
        if (share > each) throw new Problem('too_many_requests', { detail: 'too many bodies at a time' })
        if (taken + size - mine > all) throw new Problem('unavailable', { detail: 'no room for bodies' })
      }
      taken += size - mine
      mine = size
      if (share > 0) shares.set(sender, share)
      else shares.delete(sender)
    }
    return { grow: resize, release: () => resize(0) }
  }
}

/** Initial size in bytes, before the final size is known. */
const FIRST = 16 * 1024

/**
 * Gathers bytes into one buffer. The pieces are not kept: a piece of one byte is an object of two hundred,
 * and the sender chooses the size of the pieces.
 */
class GatheredBytes {
  readonly #limit: number
  readonly #grow: (size: number) => void
  #buffer = Buffer.alloc(0)
  #length = 0

  /**
   * @param limit most bytes that may come
   * @param grow called with the size of the buffer before its allocation; throws when it is too large
   */
  constructor(limit: number, grow: (size: number) => void) {
    this.#limit = limit
    this.#grow = grow
  }

  /** Reserves so many bytes in all. Problems: payload_too_large, those of `grow`. */
  expect(length: number): void {
    if (length > this.#limit)
      throw new Problem('payload_too_large', { detail: `at most ${this.#limit} bytes` })
    if (length <= this.#buffer.length) return
    this.#grow(length)
    const larger = Buffer.allocUnsafe(length)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }

  /** Problems: those of `expect`. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length)
      this.expect(Math.max(length, Math.min(Math.max(FIRST, 2 * this.#buffer.length), this.#limit)))
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** The gathered bytes, without a copy. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}

type SentHeaders = Pick<FastifyRequest, 'headers'>

/** Disables the framework's body parser: `readJson` reads bodies after authentication. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // Fastify would refuse a type that it cannot parse before the caller is known for the log.
    const { headers } = request.raw
    if (isJson(request)) headers['content-type'] = 'application/json'
    else delete headers['content-type']
    done(null, payload)
  })
}

/** Most bytes of a JSON body. */
export const getBodyLimit = ({ body, bodyLimit = BODY_LIMIT }: Endpoint): number => (body ? bodyLimit : 0)

/**
 * The body of a request as JSON; undefined when it has none.
 * Problems: payload_too_large, unsupported_media_type, invalid_input, those of `share`.
 */
export async function readJson(request: FastifyRequest, limit: number, share: BodyShare): Promise<unknown> {
  if (!hasBody(request)) return undefined
  if (!isJson(request)) throw new Problem('unsupported_media_type')
  try {
    const bytes = await readBytes(request, limit, share)
    // Lenient decoding would change what the sender wrote.
    if (!isUtf8(bytes)) throw new Problem('invalid_input', { detail: 'not UTF-8' })
    if (!isCheapToParse(bytes))
      throw new Problem('invalid_input', { detail: 'nested too deep, or of too many parts' })
    return parse(request, bytes.toString())
  } finally {
    share.release()
  }
}

/**
 * Ends the connection after this response when more of the body is to come than the call may have, or one of
 * another kind. A shorter rest is read and discarded, because a sender whose connection breaks never sees the
 * response.
 */
export function closeUnlessShort(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete || !hasBody(request)) return
  const { endpoint: name } = request.routeOptions.config as { endpoint?: EndpointName }
  const limit = name ? getBodyLimit(api[name]) : 0
  if (!isJson(request) || !(getLength(request) <= Math.max(limit, BODY_LIMIT)))
    void reply.header('connection', 'close')
}

const hasBody = ({ headers }: SentHeaders) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Accepts only plain UTF-8 JSON (RFC 8259, section 8.1), neither compressed nor otherwise encoded. */
function isJson({ headers }: SentHeaders): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  return JSON_TYPE.test(type) && !OTHER_CHARSET.test(type) && /^identity$/i.test(encoding)
}
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i
const OTHER_CHARSET = /;[\t ]*charset\b(?![\t ]*=[\t ]*"?utf-?8"?[\t ]*(?:;|$))/i

/** NaN without a length. */
const getLength = ({ headers }: SentHeaders) => Number(headers['content-length'] ?? NaN)

/** All bytes of a body, up to `limit` and the free memory. */
function readBytes({ raw, headers }: FastifyRequest, limit: number, share: BodyShare): Promise<Buffer> {
  const gathered = new GatheredBytes(limit, share.grow)
  return new Promise((resolve, reject) => {
    const onInterrupted = () => reject(new Problem('invalid_input', { detail: 'the body was interrupted' }))
    const length = getLength({ headers })
    // A too long body is refused at once; others take memory as they arrive, not as announced.
    if (length > limit) gathered.expect(length)
    if (raw.destroyed) return onInterrupted()
    const take = (piece: Buffer) => {
      try {
        gathered.add(piece)
      } catch (error) {
        raw.off('data', take)
        // Discards the rest of the body.
        raw.resume()
        reject(error)
      }
    }
    raw.on('data', take)
    raw.once('end', () => resolve(gathered.bytes))
    raw.once('error', onInterrupted).once('close', onInterrupted)
  })
}

/** Parses JSON; refuses names that would reach into prototypes. Throws the framework's errors. */
function parse(request: FastifyRequest, text: string): unknown {
  let parsed: unknown
  void request.server.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    if (error) throw error
    parsed = value
  })
  return parsed
}
