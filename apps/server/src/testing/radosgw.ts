import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { type Daemon, findProgram, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'

const run = promisify(execFile)

export type S3Server = {
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

/**
 * The customer's account on that server, and roles that the test user may assume: `Deliver` has the documented rights
 * below `in/` of each bucket, `PutOnly` may only write there, and `Stranger` trusts another principal.
 */
export const CUSTOMER = {
  account: '123456789012',
  accessKeyId: 'customer',
  secretAccessKey: 'customer-secret',
} as const
export type CustomerRole = 'Deliver' | 'PutOnly' | 'Stranger'
export const roleArn = (role: CustomerRole): string => `arn:aws:iam::${CUSTOMER.account}:role/${role}`

/** Ceph's daemons need root here; a server that is already running may be named in TEST_S3_ENDPOINT instead. */
export function radosgwAvailable(): boolean {
  if (process.env['TEST_S3_ENDPOINT']) return true
  const programs = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'monmaptool']
  return process.getuid?.() === 0 && programs.every((name) => findProgram(name) !== undefined)
}

/**
 * A real S3 server on loopback: Ceph's monitor, one in-memory object daemon and the gateway, in a temporary folder
 * that `stop` removes. TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY_ID and TEST_S3_SECRET_ACCESS_KEY name a server to use
 * instead, which keeps running. Without `hasCustomer` it lacks the customer's account, which takes ten more programs.
 */
export async function startRadosgw({ hasCustomer = true } = {}): Promise<S3Server> {
  const shared = sharedServer()
  if (shared) return shared
  const folder = await mkdtemp(join(tmpdir(), 'custodia-s3-'))
  const daemons: Daemon[] = []
  const stop = async () => {
    for (const daemon of daemons.toReversed()) await daemon.stop()
    await removeFolder(folder)
  }
  try {
    return { ...(await bringUp(folder, daemons, hasCustomer)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function sharedServer(): S3Server | undefined {
  const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY_ID = '', TEST_S3_SECRET_ACCESS_KEY = '' } = process.env
  if (!TEST_S3_ENDPOINT) return undefined
  return {
    endpoint: TEST_S3_ENDPOINT,
    accessKeyId: TEST_S3_ACCESS_KEY_ID,
    secretAccessKey: TEST_S3_SECRET_ACCESS_KEY,
    stop: async () => {},
  }
}

async function bringUp(
  folder: string,
  daemons: Daemon[],
  hasCustomer: boolean,
): Promise<Omit<S3Server, 'stop'>> {
  const [monPort, port] = [await reservePort(), await reservePort()]
  const conf = join(folder, 'ceph.conf')
  const [fsid, osdId, accessKeyId, secretAccessKey] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  for (const name of ['mon', 'osd', 'run', 'log', 'rgw']) await mkdir(join(folder, name))
  await writeFile(conf, cephConf({ folder, fsid, monPort, port }))
  await writeFile(join(folder, 'keyring'), '')
  const ceph = (program: string, ...args: string[]) =>
    run(program, ['-c', conf, ...args], { timeout: 60_000 })
  const start = (program: string, ...args: string[]) => {
    const daemon = startDaemon(program, ['-f', '-c', conf, ...args])
    daemons.push(daemon)
    return daemon
  }

  const monmap = join(folder, 'monmap')
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', `[v2:127.0.0.1:${monPort}]`, monmap])
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monmap)
  const mon = start('ceph-mon', '-i', 'a')
  await untilReady(mon, 'ceph-mon', () =>
    ceph('ceph', '--connect-timeout', '5', 'mon', 'stat').then(() => true),
  )

  await ceph('ceph', 'osd', 'new', osdId)
  await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osdId)
  const osd = start('ceph-osd', '-i', '0')
  await untilReady(osd, 'ceph-osd', async () => (await ceph('ceph', 'osd', 'stat')).stdout.includes('1 up'))

  const user = ['--uid=test', '--display-name=Test', '--caps=roles=*;user-policy=*;buckets=*']
  const keys = [`--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`]
  await ceph('radosgw-admin', 'user', 'create', ...user, ...keys)
  if (hasCustomer) await makeCustomer((...args) => ceph('radosgw-admin', ...args))
  const gateway = start('radosgw', '-n', 'client.admin')
  const endpoint = `http://127.0.0.1:${port}`
  await untilReady(gateway, 'radosgw', () => fetch(endpoint).then((reply) => reply.status < 500))
  return { endpoint, accessKeyId, secretAccessKey }
}

async function makeCustomer(admin: (...args: string[]) => Promise<unknown>): Promise<void> {
  const tenant = `--tenant=${CUSTOMER.account}`
  const user = [tenant, '--uid=customer', '--display-name=Customer']
  const keys = [`--access-key=${CUSTOMER.accessKeyId}`, `--secret=${CUSTOMER.secretAccessKey}`]
  await admin('user', 'create', ...user, ...keys)
  const allow = (actions: readonly string[], resource: string) => ({
    Effect: 'Allow',
    Action: actions,
    Resource: `arn:aws:s3:::${resource}`,
  })
  const write = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:GetObject', 's3:DeleteObject']
  const roles: Record<CustomerRole, { trusted: string; may: object[] }> = {
    Deliver: {
      trusted: 'test',
      may: [allow(write, '*/in/*'), allow(['s3:ListBucketMultipartUploads'], '*')],
    },
    PutOnly: { trusted: 'test', may: [allow(['s3:PutObject'], '*/in/*')] },
    Stranger: { trusted: 'unknown', may: [allow(write, '*')] },
  }
  const policy = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
  for (const [name, { trusted, may }] of Object.entries(roles)) {
    const Principal = { AWS: [`arn:aws:iam:::user/${trusted}`] }
    const trust = policy({ Effect: 'Allow', Principal, Action: ['sts:AssumeRole'] })
    const role = [tenant, `--role-name=${name}`]
    await admin('role', 'create', ...role, '--path=/', `--assume-role-policy-doc=${trust}`)
    await admin('role-policy', 'put', ...role, '--policy-name=own', `--policy-doc=${policy(...may)}`)
  }
}

function cephConf(at: { folder: string; fsid: string; monPort: number; port: number }): string {
  return `[global]
fsid = ${at.fsid}
mon host = [v2:127.0.0.1:${at.monPort}/0]
mon initial members = a
public addr = 127.0.0.1
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = false
# Without keys only unencrypted messenger traffic works; the gateway would ask for the encrypted kind and loop.
ms mon client mode = crc
ms bind ipv6 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail warn = 2
mon data avail crit = 1
mon max pg per osd = 1000
run dir = ${at.folder}/run
admin socket = ${at.folder}/run/$cluster-$name.asok
log file = ${at.folder}/log/$cluster-$name.log
pid file = ${at.folder}/run/$name.pid
crash dir = ${at.folder}/log
heartbeat file = ${at.folder}/run/hb
[mon]
mon data = ${at.folder}/mon
mon cluster log file = ${at.folder}/log/cluster.log
[osd]
osd data = ${at.folder}/osd
osd objectstore = memstore
memstore device bytes = 8589934592
osd memory target = 939524096
osd class load list = *
osd class default list = *
[client]
keyring = ${at.folder}/keyring
# Without it a response of more than one packet waits 40 ms for the acknowledgement of the first.
rgw frontends = beast endpoint=127.0.0.1:${at.port} tcp_nodelay=1
rgw dns name = localhost
rgw data = ${at.folder}/rgw
rgw run sync thread = false
rgw enable usage log = false
rgw enable ops log = false
rgw thread pool size = 64
rgw gc obj min wait = 10
rgw sts key = abcdefghijklmnop
rgw s3 auth use sts = true
rgw crypt require ssl = false
`
}

interface TestBucket {
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
