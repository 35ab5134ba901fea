import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { transferRoot } from '@custodia/domain'
import type { Egress } from '../egress/port.ts'
import { fileDigest, wrapped } from './formats/wrap.ts'
import { type DeliveredFile, type DeliveryItem, PROBE, type S3Target, type TargetSession } from './port.ts'
import { connectS3, S3_PATIENCE, type S3Patience, s3Problem, getStatus } from './s3-connect.ts'
import { type PutResult, S3Objects } from './s3-objects.ts'

/** Always the same name, so that a role with write permission only leaves one file, not one per test. */
const PROBE_NAME = 'custodia-test.txt'

/** Each has up to three parts of 8 MiB in transit. */
const SIDE_BY_SIDE = 4

const NEVER = new AbortController().signal

/**
 * Assumes the role of a customer's bucket for any number of items; `signal` ends the session. Throws
 * TargetProblem.
 */
export async function s3Session(
  target: S3Target,
  egress: Egress,
  { patience = S3_PATIENCE, signal = NEVER }: { patience?: S3Patience; signal?: AbortSignal } = {},
): Promise<TargetSession> {
  const { client, close, moved } = await connectS3(target, egress, { signal, patience })
  const bucket = { Bucket: target.bucket, ExpectedBucketOwner: getAccount(target) }
  const objects = new S3Objects(client, bucket)

  async function put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    size: number,
    expected?: string,
  ): Promise<PutResult & { is_verified: boolean }> {
    try {
      const done = await objects.put(key, content, size, expected)
      return { ...done, is_verified: await objects.verify(key, done) }
    } catch (error) {
      throw s3Problem(error, target)
    }
  }

  return {
    side_by_side: SIDE_BY_SIDE,

    async deliver(item: DeliveryItem): Promise<DeliveredFile> {
      const { bytes, sha256 } = await put(item.path, wrapped(item), item.size, fileDigest(item))
      return {
        dest_path: `s3://${target.bucket}/${item.path}`,
        bytes,
        checksums: { decrypted: item.sha256, encrypted: sha256 },
      }
    },

    async prove(folder) {
      const Key = `${transferRoot(folder)}${PROBE_NAME}`
      const { is_verified } = await put(
        Key,
        (async function* () {
          yield PROBE
        })(),
        PROBE.length,
      )
      try {
        await client.send(new DeleteObjectCommand({ ...bucket, Key }))
        return { is_verified, is_removed: true }
      } catch (error) {
        if (getStatus(error) !== 403) throw s3Problem(error, target)
        return { is_verified, is_removed: false }
      }
    },

    async close() {
      close()
    },
    moved,
  }
}

/** The account of the role, which must own the bucket. */
const getAccount = ({ role_arn }: S3Target): string => role_arn.split(':')[4] ?? ''
