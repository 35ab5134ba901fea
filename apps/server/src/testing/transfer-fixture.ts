import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
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
import type { TransferConfigInput } from '@custodia/contract'
import { getEgress } from '../ports/egress/guard.ts'
import { carryOutRun } from '../transfers/engine.ts'
import { startRun } from '../transfers/jobs.ts'
import { findRun, firstItems } from '../transfers/run-store.ts'
import { lockConfig, writeConfig } from '../transfers/store.ts'
import { NO_SECRETS, sealSecrets } from '../transfers/target.ts'
import { ingestFixture, type TestPhone } from './ingest-fixture.ts'
import { CUSTOMER, roleArn, type S3Server, startRadosgw } from './radosgw.ts'
import { startSshd } from './sshd.ts'

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

const NEVER = new AbortController().signal
/** How a photo begins. */
const JPEG = Buffer.from('ffd8ffe000104a46494600', 'hex')

/** Recordings of acme, a customer's SFTP server, and a config that delivers there. */
export async function transferFixture() {
  const server = await startSshd()
  const root = join(server.folder, 'in')
  const allow = `sftp://127.0.0.1:${server.port}`
  const base = await fixtureBefore({
    env: { EGRESS_ALLOW: allow },
    target: {
      params: {
        target_type: 'SFTP',
        server: '127.0.0.1',
        port: server.port,
        username: server.username,
        root_directory: root,
        host_key: server.host_key,
      },
      sftp_private_key: server.private_key,
    },
  })
  return {
    ...base,
    server,
    root,
    async close() {
      await base.close()
      await server.stop()
    },
    /** The files below the root of the target, hidden ones too. */
    async files(): Promise<Map<string, Buffer>> {
      const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
      const paths = found
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
      return new Map(
        await Promise.all(
          paths.map(async (path) => [path.slice(root.length + 1), await readFile(path)] as const),
        ),
      )
    },
    clear: () => rm(root, { recursive: true, force: true }),
  }
}
export type TransferFixture = Awaited<ReturnType<typeof transferFixture>>

const BELOW = 'in/custodia/'

/** The same with a bucket of the customer's, on a real S3 server. */
export async function bucketFixture() {
  const server = await startRadosgw()
  const customer = await customerBucket(server)
  const root = `s3://${customer.bucket}/${BELOW.slice(0, -1)}`
  const read = new Map<string, Buffer>()
  const base = await fixtureBefore({
    env: {
      TRANSFER_S3_ENDPOINT: server.endpoint,
      TRANSFER_AWS_ACCESS_KEY_ID: server.accessKeyId,
      TRANSFER_AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    },
    target: {
      params: {
        target_type: 'S3',
        destination: `${root}/`,
        region: 'eu-west-1',
        iam_role_arn: roleArn('Deliver'),
      },
    },
  })
  return {
    ...base,
    server,
    customer,
    root,
    async close() {
      await base.close()
      customer.close()
      await server.stop()
    },
    /** The objects of the bucket, as they are called below the root. What did not change since is not read again. */
    async files(): Promise<Map<string, Buffer>> {
      const found = new Map<string, Buffer>()
      for (const [key, version] of await customer.versions()) {
        const content = read.get(version) ?? (await customer.read(key))
        read.set(version, content)
        found.set(key.startsWith(BELOW) ? key.slice(BELOW.length) : key, content)
      }
      return found
    },
    clear: () => customer.clear(),
  }
}
export type BucketFixture = Awaited<ReturnType<typeof bucketFixture>>

/** The archive and its settings in front of a target, with configs that deliver there by default. */
async function fixtureBefore({
  env,
  target,
}: {
  env: Record<string, string>
  target: Pick<TransferConfigInput, 'params' | 'sftp_private_key'>
}) {
  const fixture = await ingestFixture({}, env)
  const phone = await fixture.phone('acme')
  const account = { client: 'acme', client_id: fixture.accounts.acme.client_id }
  const ctx = {
    ...fixture.ctx,
    egress: getEgress(fixture.ctx.config),
    jobs: { send: async () => undefined, stop: async () => undefined },
  }
  const start = (reference: string) =>
    ctx.db.write(account.client_id, async (tx) => {
      const stored = await lockConfig(tx, reference)
      if (!stored) throw new Error(`no config ${reference}`)
      return startRun(ctx, tx, stored, { now: ctx.now(), by: 'alice', scheduled_for: null })
    })
  const carryOut = (transfer_id: string) => carryOutRun(ctx, { ...account, transfer_id }, NEVER)
  const read = (transfer_id: string) =>
    ctx.db.read(account.client_id, async (q) => {
      const found = await findRun(q, transfer_id)
      if (!found) throw new Error(`no run ${transfer_id}`)
      return { ...found, items: await firstItems(q, transfer_id, 1000) }
    })
  return {
    fixture,
    env,
    ctx,
    account,
    sql: fixture.sql,
    close: () => fixture.close(),
    /** Begins a run of a config, as the Run now button does. */
    start,
    carryOut,
    /** A run with its items. */
    read,
    /** Begins and carries out a run of a config. */
    async run(reference: string) {
      const transfer_id = await start(reference)
      await carryOut(transfer_id)
      return read(transfer_id)
    },
    /** Removes the object of a message; resolves to the function that restores it. */
    async loseObject(reference: string): Promise<() => Promise<unknown>> {
      const [object] = await fixture.getObjects(reference)
      const move = (to: string | undefined, from: string | undefined) =>
        fixture.sql('update payload_objects set object_key = $1 where object_key = $2', [to, from])
      await move('nowhere/at/all', object?.object_key)
      return () => move(object?.object_key, 'nowhere/at/all')
    },
    /** Keeps a config as a save does. */
    async config(reference: string, change: Partial<TransferConfigInput> = {}): Promise<void> {
      const {
        zip_password,
        sftp_password,
        sftp_private_key,
        groups = null,
        ...settings
      } = {
        transfer_type: 'Payload' as const,
        payload_types: ['SMS' as const, 'Photo' as const],
        schedule: null,
        pgp_key: null,
        transfer_file_format: 'Uncompressed' as const,
        is_active: true,
        role_reference: 'Receipt App',
        ...target,
        ...change,
      }
      const given = { zip_password, sftp_password, sftp_private_key }
      const sealed = await sealSecrets(ctx, account.client, reference, NO_SECRETS, given)
      const by = { updated_at: ctx.now(), updated_by: 'alice', gathered_to: null, next_at: null, reach: null }
      await ctx.db.write(account.client_id, (tx) =>
        writeConfig(tx, reference, { ...settings, groups }, sealed, by),
      )
    },
    /** Uploads messages; resolves to their references. */
    async upload(count: number, from: TestPhone = phone, type: 'SMS' | 'RCS' = 'SMS'): Promise<string[]> {
      const references: string[] = []
      for (let i = 0; i < count; i++) {
        const data = Buffer.from(JSON.stringify({ text: `said ${i}` }))
        references.push((await fixture.upload(from, type, data)).payload_reference)
      }
      return references
    },
    /** Uploads a message of each of these times (epoch seconds). */
    async uploadAt(...times: number[]): Promise<void> {
      for (const payload_time of times)
        await fixture.upload(phone, 'SMS', Buffer.from(JSON.stringify({ text: 'said' })), { payload_time })
    },
    /** Uploads a photo of `size` bytes; resolves to its reference. */
    async bringPhoto(size: number): Promise<string> {
      const data = Buffer.concat([JPEG, randomBytes(size - JPEG.length)])
      return (await fixture.upload(phone, 'Photo', data)).payload_reference
    },
  }
}
