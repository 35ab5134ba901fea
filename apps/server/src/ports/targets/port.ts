import type { TransferProblem } from '@custodia/contract'
import type { TransferFormat } from '@custodia/domain'

/** One item to put on a target. */
export interface DeliveryItem {
  /** From `transferPaths`: the key in a bucket, or the absolute path on an SFTP server. */
  path: string
  /**
   * The plaintext, from the start on each call; a piece is valid until the next is requested. Never written
   * to our disks.
   */
  open(): AsyncIterable<Uint8Array>
  /** Of the plaintext, hexadecimal; the content of `open` must match it. */
  sha256: string
  /** Bytes of plaintext. */
  size: number
  format: DeliveryFormat
}

/** The format of an item, with its settings. */
export type DeliveryFormat =
  | { type: Extract<TransferFormat, 'Uncompressed'> }
  | { type: Extract<TransferFormat, 'Zipped'> }
  | { type: Extract<TransferFormat, 'ZippedWithPassword'>; password: string }
  | { type: Extract<TransferFormat, 'PGP'>; public_key: string }

/** The delivered file on the target, read back or confirmed by checksum. */
export interface DeliveredFile {
  dest_path: string
  /** Bytes of the file on the target. */
  bytes: number
  checksums: {
    /** SHA-256 of the plaintext, hexadecimal. */
    decrypted: string
    /** SHA-256 of the file on the target, hexadecimal: the same as `decrypted` when it is not wrapped. */
    encrypted: string
  }
}

/** An SFTP server of a customer. */
export interface SftpTarget {
  kind: 'SFTP'
  host: string
  port: number
  username: string
  /** Either a password or a key. */
  password?: string
  /** PEM or OpenSSH. */
  private_key?: string
  passphrase?: string
  /**
   * `SHA256:…` as ssh-keygen shows it. Without one the sign-in is refused with the key that the server
   * showed.
   */
  host_key: string | undefined
}

/** A customer's bucket, used with a role of the customer. */
export interface S3Target {
  kind: 'S3'
  bucket: string
  region: string
  role_arn: string
  /** The external id in the role's trust policy: no other client can use the role. */
  external_id: string
  /** Another service than AWS, for S3 and STS alike. */
  endpoint: string | undefined
  /** The identity that assumes the role; undefined: the SDK's default from the environment. */
  identity: { access_key_id: string; secret_access_key: string } | undefined
}

/** The result of a probe: whether it was verified, by reading or checksum, and whether it was removed. */
export interface ProbeResult {
  is_verified: boolean
  is_removed: boolean
}

/** Text of a probe, for people who find it. */
export const PROBE: Buffer = Buffer.from('Custodia tests whether it may write here.\n')

/** An open session with one target. Items may be delivered concurrently. */
export interface TargetSession {
  /**
   * Writes and verifies the item. Partial files are not visible, and a repeated item is one file. Throws
   * TargetProblem.
   */
  deliver(item: DeliveryItem): Promise<DeliveredFile>
  /**
   * Proves that a file can be written in the folder, and removes it where permitted. Throws TargetProblem.
   */
  prove(folder: string): Promise<ProbeResult>
  /** Closes at once, also during work. */
  close(): Promise<void>
  /** Bytes sent to and received from the target so far. */
  moved(): number
  /** The useful number of concurrent deliveries, by bandwidth and memory. */
  readonly side_by_side: number
}

/** An unreachable target, or a refused item. The message contains neither secrets nor content. */
export class TargetProblem extends Error {
  readonly reason: TransferProblem
  /** The server's host key, when it is the reason. */
  readonly host_key: string | undefined

  constructor(
    reason: TransferProblem,
    detail = '',
    options: { cause?: unknown; host_key?: string | undefined } = {},
  ) {
    super(detail === '' ? reason : `${reason}: ${detail}`, { cause: options.cause })
    this.name = 'TargetProblem'
    this.reason = reason
    this.host_key = options.host_key
  }
}
