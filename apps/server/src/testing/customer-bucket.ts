import { randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { CUSTOMER, type S3Server } from './radosgw.ts'

/** A bucket of the customer's on a real S3 server, as the customer sees it. */
export async function customerBucket({ endpoint }: Pick<S3Server, 'endpoint'>) {
  const { accessKeyId, secretAccessKey } = CUSTOMER
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  const Bucket = `bank-${randomBytes(6).toString('hex')}`
  await client.send(new CreateBucketCommand({ Bucket }))
  // This server records the user that assumes a role as the owner of an object; AWS records the role's account.
  const all = {
    Effect: 'Allow',
    Action: ['s3:*'],
    Resource: [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`],
  }
  const own = { ...all, Principal: { AWS: [`arn:aws:iam::${CUSTOMER.account}:user/customer`] } }
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [own] })
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy }))
  /** All versions of each object, with their contents. */
  const versions = async () => {
    const found = new Map<string, string>()
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
      for (const { Key = '', ETag, LastModified } of Contents)
        found.set(Key, `${Key} ${ETag} ${LastModified?.toISOString()}`)
    return found
  }
  const keys = async () => [...(await versions()).keys()]
  const read = async (Key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  return {
    bucket: Bucket,
    keys,
    versions,
    read,
    write: (Key: string, Body: Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body })),
    /** Begins an upload without completing it, as a killed process does. */
    begin: (Key: string) => client.send(new CreateMultipartUploadCommand({ Bucket, Key })),
    /** Multipart uploads that are neither completed nor aborted. */
    async uploads(): Promise<string[]> {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
      return Uploads.map(({ Key = '' }) => Key)
    },
    async clear(): Promise<void> {
      for (const Key of await keys()) await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
    close: () => client.destroy(),
  }
}
export type CustomerBucket = Awaited<ReturnType<typeof customerBucket>>
