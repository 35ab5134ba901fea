import { CreateBucketCommand, DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { S3Server } from './radosgw.ts'

export interface TestBucket {
  /** Removes every object. Resolves to how many there were. */
  empty(): Promise<number>
}

/** Makes a bucket on an S3 server. */
export async function makeBucket(server: S3Server, Bucket: string): Promise<TestBucket> {
  const s3 = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: server,
    forcePathStyle: true,
  })
  await s3.send(new CreateBucketCommand({ Bucket }))
  return {
    async empty() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
      const Objects = Contents.map(({ Key }) => ({ Key }))
      if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      return Objects.length
    },
  }
}
