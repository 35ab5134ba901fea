import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { S3Target } from '../../../apps/server/src/ports/targets/port.ts'
import {
  CUSTOMER,
  radosgwAvailable,
  roleArn,
  startRadosgw,
} from '../../../apps/server/src/testing/radosgw.ts'
import { type CustomerBucket, customerBucket } from '../../../apps/server/src/testing/transfer-fixture.ts'
import { type BenchItem, deliveries, MIB, type Options, repeated } from './options.ts'
import { spread } from './report.ts'
import { shared } from './server.ts'

const run = promisify(execFile)
/** The server keeps everything in memory, and what was removed for a while. */
const MANY = 300
const SIDE_BY_SIDE = 4

/** Seconds of each side. */
interface Round {
  /** Uploads alone, their bodies neither signed nor looked at afterwards. */
  curl: number
  /** Uploads whose bodies are digested and signed, so that the server refuses other bytes. */
  curl_signed: number
  ours: number
}

/** The results. */
export interface S3Figures {
  many: Round[]
  large: Round[]
  /** The most bytes above idle while a process delivers the large item. */
  memory: number
  loads: number[]
}

/** Deliveries to a bucket compared with curl, which uploads the same files to the same server, as many at a time. Undefined without an S3 server. */
export async function measureS3(
  {
    options,
    folder,
    many,
    large,
  }: { options: Options; folder: string; many: readonly BenchItem[]; large: BenchItem },
  say: (step: string) => void,
): Promise<S3Figures | undefined> {
  if (!radosgwAvailable()) return undefined
  const figures: S3Figures = { many: [], large: [], memory: 0, loads: [] }
  const { rounds } = options
  const shapes = { many: many.slice(0, MANY), large: [large] }
  for (let round = 1; round <= rounds; round++) {
    say(`S3, round ${round} of ${rounds} …`)
    await withBucket(async (bank, target) => {
      for (const shape of ['many', 'large'] as const)
        figures[shape].push(await s3Round({ folder, options, bank, target }, shapes[shape], round % 2 === 1))
    })
    figures.loads.push(loadavg()[0] ?? 0)
  }
  say('S3, memory …')
  const whole = await repeated(large, options)
  figures.memory = (
    await withBucket((bank, target) => delivered({ options, bank, target }, [whole]))
  ).above_idle
  return figures
}

/** A new server for each run, which has nothing to remove. */
async function withBucket<T>(work: (bank: CustomerBucket, target: S3Target) => Promise<T>): Promise<T> {
  const server = await shared('s3', startRadosgw)
  try {
    const bank = await customerBucket(server)
    const target: S3Target = {
      kind: 'S3',
      bucket: bank.bucket,
      region: 'eu-west-1',
      role_arn: roleArn('Deliver'),
      external_id: 'custodia-bench',
      endpoint: server.endpoint,
      identity: { access_key_id: server.accessKeyId, secret_access_key: server.secretAccessKey },
    }
    try {
      return await work(bank, target)
    } finally {
      bank.close()
    }
  } finally {
    await server.stop()
  }
}

interface Place {
  folder: string
  options: Options
  bank: CustomerBucket
  target: S3Target
}

async function s3Round(place: Place, items: readonly BenchItem[], isOdd: boolean): Promise<Round> {
  const sides: Record<keyof Round, () => Promise<number>> = {
    curl: () => withCurl(place, items, false),
    curl_signed: () => withCurl(place, items, true),
    ours: async () => (await delivered(place, items)).seconds,
  }
  const names = ['curl', 'ours', 'curl_signed'] as const
  const round: Round = { curl: 0, curl_signed: 0, ours: 0 }
  for (const name of isOdd ? names : names.toReversed()) {
    round[name] = await sides[name]()
    await place.bank.clear()
  }
  return round
}

async function delivered({ options, bank, target }: Omit<Place, 'folder'>, items: readonly BenchItem[]) {
  const found = await deliveries(target, options, {
    how: 'deliver',
    items: items.map((item) => ({ ...item, path: `in/${item.name}` })),
    format: { type: 'Uncompressed' },
  })
  assert.equal((await bank.keys()).length, items.length)
  return found
}

/** Seconds from the first word to the server to the last. */
async function withCurl(
  { folder, bank, target }: Place,
  items: readonly BenchItem[],
  isSigned: boolean,
): Promise<number> {
  const list = join(folder, 'curl-put')
  const started = performance.now()
  const digests = isSigned ? await getDigests(items) : []
  const entries = items.map(({ file, name }, index) =>
    [
      `upload-file = "${file}"`,
      `url = "${target.endpoint}/${target.bucket}/in/${name}"`,
      `header = "x-amz-content-sha256: ${digests[index] ?? 'UNSIGNED-PAYLOAD'}"`,
      'aws-sigv4 = "aws:amz:us-east-1:s3"',
      `user = "${CUSTOMER.accessKeyId}:${CUSTOMER.secretAccessKey}"`,
      'fail',
    ].join('\n'),
  )
  await writeFile(list, entries.join('\nnext\n'))
  await run('curl', [
    ...'-sS --no-progress-meter --parallel --parallel-max'.split(' '),
    String(SIDE_BY_SIDE),
    '-K',
    list,
  ])
  const seconds = (performance.now() - started) / 1000
  assert.equal((await bank.keys()).length, items.length)
  return seconds
}

/** SHA-256 of each file, computed by a process of its own. */
export async function getDigests(items: readonly BenchItem[]): Promise<string[]> {
  const files = items.map(({ file }) => file)
  const { stdout } = await run('sha256sum', files, { maxBuffer: 4 * MIB })
  return stdout.split('\n').flatMap((line) => line.split(' ')[0] || [])
}

/** Prints the results. */
export function printS3(figures: S3Figures | undefined): void {
  if (!figures) return console.log('\nS3: not measured, this machine has no S3 server (npm run parts)')
  for (const [shape, what] of [
    ['many', 'many files'],
    ['large', 'one file'],
  ] as const) {
    const rounds = figures[shape]
    console.log(`
S3, ${what}
  delivered, × curl:            ${spread(rounds.map(({ curl, ours }) => curl / ours))}
  delivered, × curl, signed:    ${spread(rounds.map(({ curl_signed, ours }) => curl_signed / ours))}`)
  }
  console.log(`
S3, memory above idle, large item: ${(figures.memory / MIB).toFixed(0)} MiB
Load of the machine: ${figures.loads.map((load) => load.toFixed(1)).join(', ')}`)
}
