import { createHash, createSecretKey } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TransferProblem } from '@custodia/contract'
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2'
import { dialAddress } from '../egress/dial-address.ts'
import { type CheckedAddress, EgressProblem } from '../egress/port.ts'
import { type SftpTarget, TargetProblem } from './port.ts'

/** Milliseconds for greeting, keys and sign-in together, and for a silent server later. */
export const PATIENCE = { connect: 15_000, silence: 30_000 } as const

/** A fixed order of host key types: a library update must not select another key of the same server. */
const HOST_KEYS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const
/** OpenSSL does AES-GCM, the fastest by far; servers without it get the usual others. */
const CIPHERS = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
] as const

export interface SftpConnection {
  sftp: SFTPWrapper
  /** A second channel with requests of its own; undefined when the server refuses it. */
  another(): Promise<SFTPWrapper | undefined>
  /** Calls back when the connection has ended, once. */
  onLost(listener: (problem: TargetProblem) => void): void
  /** Closes at once, also during work. */
  cut(): void
  /** Bytes sent to and received from the server so far. */
  moved(): number
}

/**
 * Signs in to an SFTP server at one of the addresses that the egress guard admitted. With another host key
 * than the pinned one, or with none pinned, the connection ends before the sign-in; the problem contains the
 * seen key.
 */
export async function connectSftp(
  target: SftpTarget,
  addresses: readonly CheckedAddress[],
  patience: { connect: number },
): Promise<SftpConnection> {
  const { host, port } = target
  const sock = await dialAddress(host, port, addresses, AbortSignal.timeout(patience.connect)).catch(
    (cause: unknown) => {
      throw dialled(cause, target)
    },
  )
  // Requests are small, and many depend on the previous response, so none waits to fill a packet.
  sock.setNoDelay(true)
  writeBatched(sock)
  const client = new Client()
  let seen: string | undefined
  const settings = getSettings(target, sock, patience.connect, (key) => {
    seen = fingerprint(key)
    return seen === target.host_key
  })
  const moved = () => sock.bytesRead + sock.bytesWritten - sock.writableLength
  const cut = () => {
    client.destroy()
    sock.destroy()
  }
  return new Promise((resolve, reject) => {
    let isUp = false
    let ended: TargetProblem | undefined
    const listeners: ((problem: TargetProblem) => void)[] = []
    const end = (problem: TargetProblem) => {
      if (ended) return
      ended = problem
      cut()
      if (isUp) for (const notify of listeners) notify(problem)
      else reject(problem)
    }
    client.on('error', (error) => end(refusal(error, target, seen)))
    client.on('close', () => end(new TargetProblem('connection_lost', target.host)))
    client.on('handshake', () => keepKeys(client))
    client.on('ready', () =>
      client.sftp((cause, sftp) => {
        if (cause) return end(new TargetProblem('refused', 'the server offers no SFTP', { cause }))
        isUp = true
        // The connection reports the end of the channel.
        sftp.on('error', () => undefined)
        resolve({
          sftp,
          another: () => anotherChannel(client),
          cut,
          moved,
          onLost: (listener) => void (ended ? listener(ended) : listeners.push(listener)),
        })
      }),
    )
    try {
      client.connect(settings)
    } catch (cause) {
      // The private key is the only setting that is validated before the connection.
      end(new TargetProblem('auth_refused', 'the private key or its passphrase cannot be read', { cause }))
    }
  })
}

const anotherChannel = (client: Client): Promise<SFTPWrapper | undefined> =>
  new Promise((resolve) => {
    client.sftp((cause, sftp) => {
      if (cause) return resolve(undefined)
      sftp.on('error', () => undefined)
      resolve(sftp)
    })
  })

function getSettings(
  target: SftpTarget,
  sock: Socket,
  readyTimeout: number,
  hostVerifier: (key: Buffer) => boolean,
): ConnectConfig {
  return {
    sock,
    username: target.username,
    readyTimeout,
    keepaliveInterval: 10_000,
    algorithms: { serverHostKey: [...HOST_KEYS], cipher: [...CIPHERS] },
    hostVerifier,
    ...(target.private_key === undefined
      ? { password: target.password ?? '' }
      : { privateKey: target.private_key }),
    ...(target.passphrase === undefined ? {} : { passphrase: target.passphrase }),
  }
}

/**
 * The library writes length, ciphertext and tag separately; corking sends them in one call, not as packets of
 * 4 and 16 bytes.
 */
function writeBatched(sock: Socket): void {
  const write = sock.write.bind(sock) as (...rest: unknown[]) => boolean
  sock.write = (...rest: unknown[]) => {
    if (sock.writableCorked === 0) {
      sock.cork()
      process.nextTick(() => sock.uncork())
    }
    return write(...rest)
  }
}

/**
 * The library makes a key object per packet, which is half of the packet's cost. This caches one per key; an
 * unknown layout of the library stays unchanged.
 */
function keepKeys(client: Client): void {
  type Fields = Record<string, unknown>
  const { _protocol } = client as unknown as { _protocol?: Fields }
  for (const [side, name] of [
    ['_cipher', '_encKey'],
    ['_decipher', '_decipherKey'],
  ] as const) {
    const of = _protocol?.[side] as Fields | undefined
    const key = of?.[name]
    if (of && Buffer.isBuffer(key)) of[name] = createSecretKey(key)
  }
}

/** In the form of ssh-keygen. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/** The transfer problem of an address that was refused or did not answer. */
export function dialled(cause: unknown, { host, port }: Pick<SftpTarget, 'host' | 'port'>): TargetProblem {
  const reason = cause instanceof EgressProblem ? cause.reason : 'unreachable'
  const at = `${host}:${port}`
  if (reason === 'unknown_host') return new TargetProblem('host_unknown', at, { cause })
  if (reason === 'too_slow') return new TargetProblem('timeout', at, { cause })
  if (cause instanceof EgressProblem && cause.isForbidden)
    return new TargetProblem('address_forbidden', at, { cause })
  return new TargetProblem('unreachable', at, { cause })
}

function refusal(
  error: Error & { level?: string },
  target: SftpTarget,
  seen: string | undefined,
): TargetProblem {
  const options = { cause: error, host_key: seen }
  if (seen !== undefined && seen !== target.host_key) {
    if (target.host_key === undefined) return new TargetProblem('host_key_unknown', seen, options)
    return new TargetProblem('host_key_changed', `${seen} instead of ${target.host_key}`, options)
  }
  if (error.level === 'client-authentication')
    return new TargetProblem('auth_refused', target.username, { cause: error })
  if (error.level === 'client-timeout') return new TargetProblem('timeout', target.host, { cause: error })
  return new TargetProblem('connection_lost', error.message, { cause: error })
}

/** Bytes of a read or write request: the most that OpenSSH accepts. A write to another server is split. */
export const PIECE = 255 << 10
/** Most pieces in transit to one server over all items: 8 MiB, which a line with some latency needs. */
export const SLOTS = 32

/**
 * Young generation of a session's thread in MiB. Its packets are short-lived; more space would only delay
 * their release, without a speed gain.
 */
export const YOUNG_MIB = 2

/** Settings of a session's thread. */
export interface ThreadSettings {
  target: SftpTarget
  /** Admitted by the egress guard. */
  addresses: CheckedAddress[]
  patience: { connect: number; silence: number }
  /**
   * Shared memory for content, `SLOTS` reused pieces of `PIECE` bytes: no copies between threads, no garbage
   * collection.
   */
  memory: SharedArrayBuffer
  /** One number: the transferred bytes. */
  moved: SharedArrayBuffer
}

/** Milliseconds between two updates of the transferred bytes. */
export const MOVED_MS = 250

/** Messages to the thread. Content of an item comes in order; its end carries the metadata. */
export type ToThread =
  /** `isDigested`: the checksum is not known beforehand. */
  | { kind: 'put'; id: number; path: string; isDigested: boolean }
  | { kind: 'piece'; id: number; slot: number; length: number }
  /** `sha256`: of the written bytes, where known. */
  | { kind: 'end'; id: number; sha256: string | undefined }
  | { kind: 'abandon'; id: number }
  | { kind: 'remove'; id: number; path: string }

export type FromThread =
  | { kind: 'ready' }
  | { kind: 'free'; slot: number }
  | { kind: 'done'; id: number; written: WrittenFile }
  | { kind: 'failed'; id: number; problem: SentProblem }
  /** The connection and its thread have ended. */
  | { kind: 'ended'; problem: SentProblem }

export interface WrittenFile {
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Errors lose their class between threads. */
interface SentProblem {
  reason: TransferProblem
  detail: string
  host_key: string | undefined
}

/** Serializes a problem. */
export const sent = ({ reason, message, host_key }: TargetProblem): SentProblem => ({
  reason,
  detail: message.slice(reason.length + 2),
  host_key,
})

/** Restores a serialized problem. */
export const received = ({ reason, detail, host_key }: SentProblem): TargetProblem =>
  new TargetProblem(reason, detail, { host_key })

/** The bytes of a slot. */
export const getSlot = (memory: SharedArrayBuffer, slot: number, length = PIECE): Buffer =>
  Buffer.from(memory, slot * PIECE, length)
