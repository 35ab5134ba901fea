import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SftpTarget } from '../../../apps/server/src/ports/targets/port.ts'
import { type SftpServer, startSshd } from '../../../apps/server/src/testing/sshd.ts'
import { type BenchContext, type BenchItem, deliveries, MIB, type Options, repeated } from './options.ts'
import { median, spread } from './report.ts'
import type { Deliveries } from './transfer-deliveries.ts'
import { getDigests, measureS3, printS3 } from './transfers-s3.ts'

const run = promisify(execFile)
/** Many files of the size of a recording, and one of the size of a long video. */
type Shape = 'many' | 'large'
type Shapes = Record<Shape, { count: number; bytes: number }>

/** One round of one kind of item: seconds of each side. */
interface Round {
  /** OpenSSH's sftp, without and with fsync of each file. */
  openssh: number
  openssh_synced: number
  /** The same, and then everything fetched again and digested, as a delivery does. */
  openssh_fetched: number
  ours: number
}

/**
 * Deliveries by SFTP compared with OpenSSH's sftp to the same server, to S3 with curl, OpenPGP with gpg, and the memory
 * that a large item takes. A delivery is synced and verified, so a second peer fetches and digests the files
 * (SFTP), or signs the SHA-256 of the body (S3). Ours also verifies the source, gpg does not.
 */
export async function measureTransfers({ options, facts, file, say }: BenchContext): Promise<void> {
  const { rounds, transfer_files, transfer_file_bytes, transfer_large_bytes } = options
  const shapes: Shapes = {
    many: { count: transfer_files, bytes: transfer_file_bytes },
    large: { count: 1, bytes: transfer_large_bytes },
  }
  const folder = await mkdtemp(join(tmpdir(), 'custodia-bench-transfers-'))
  const server = await startSshd()
  try {
    const items = {
      many: await makeItems(folder, 'many', shapes),
      large: await makeItems(folder, 'large', shapes),
    }
    const [large] = items.large
    if (!large) throw new Error('no large file')
    const key = await makeKey(folder)
    const sftp: Record<Shape, Round[]> = { many: [], large: [] }
    const pgp: { gpg: number; ours: number }[] = []
    const loads: number[] = []
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds} …`)
      for (const shape of ['many', 'large'] as const)
        sftp[shape].push(
          await sftpRound(server, folder, { shape, items: items[shape], isOdd: round % 2 === 1, options }),
        )
      pgp.push(await pgpRound(server, key, large, { isOdd: round % 2 === 1, options }))
      loads.push(loadavg()[0] ?? 0)
    }
    say('Memory …')
    const memory = await measureMemory(server, key, large, options)
    say('S3 …')
    const s3 = await measureS3({ options, folder, many: items.many, large }, say)
    print(shapes, sftp, pgp, memory, loads)
    printS3(s3)
    writeFileSync(
      file,
      `${JSON.stringify({ title: 'Transfers', ...facts, shapes, sftp, pgp, memory, loads, s3 }, undefined, 2)}\n`,
    )
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeItems(folder: string, shape: Shape, shapes: Shapes): Promise<BenchItem[]> {
  const { count, bytes } = shapes[shape]
  await mkdir(join(folder, shape))
  const items: BenchItem[] = []
  for (let i = 0; i < count; i++) {
    const content = randomBytes(bytes)
    const name = `${String(i).padStart(5, '0')}.bin`
    const file = join(folder, shape, name)
    await writeFile(file, content)
    items.push({ name, file, size: bytes, sha256: createHash('sha256').update(content).digest('hex') })
  }
  return items
}

async function sftpRound(
  server: SftpServer,
  folder: string,
  {
    shape,
    items,
    isOdd,
    options,
  }: { shape: Shape; items: readonly BenchItem[]; isOdd: boolean; options: Options },
): Promise<Round> {
  const into = async (work: (at: string) => Promise<number>) => {
    const at = join(server.folder, `${shape}-${randomBytes(4).toString('hex')}`)
    await mkdir(at)
    await chmod(at, 0o777)
    const seconds = await work(at)
    await sameSizes(at, items)
    await rm(at, { recursive: true })
    // No side waits for the writes of the other.
    await run('sync', ['-f', server.folder])
    return seconds
  }
  const openssh = (flags: string, isFetched = false) =>
    into((at) => withOpenssh(server, folder, { from: join(folder, shape), to: at, flags, isFetched, items }))
  const sides: Record<keyof Round, () => Promise<number>> = {
    openssh: () => openssh(''),
    ours: () =>
      into(async (at) => {
        const found = await deliveries(getTarget(server), options, {
          how: 'deliver',
          items: items.map((item) => ({ ...item, path: join(at, item.name) })),
          format: { type: 'Uncompressed' },
        })
        return found.seconds
      }),
    openssh_synced: () => openssh('-f'),
    openssh_fetched: () => openssh('-f', true),
  }
  const names = ['openssh', 'ours', 'openssh_synced', 'openssh_fetched'] as const
  const round: Round = { openssh: 0, ours: 0, openssh_synced: 0, openssh_fetched: 0 }
  // The second side finds warm caches: the sides alternate.
  for (const name of isOdd ? names : names.toReversed()) round[name] = await sides[name]()
  return round
}

/** Seconds from the first word to the server to the last. */
async function withOpenssh(
  server: SftpServer,
  folder: string,
  {
    from,
    to,
    flags,
    isFetched,
    items,
  }: { from: string; to: string; flags: string; isFetched: boolean; items: readonly BenchItem[] },
): Promise<number> {
  const [key, batch, back] = [join(folder, 'key'), join(folder, 'batch'), join(folder, 'back')]
  await mkdir(back)
  await rm(key, { force: true })
  await writeFile(key, server.private_key, { mode: 0o600 })
  await writeFile(batch, `lcd ${from}\ncd ${to}\nput ${flags} *\n${isFetched ? `lcd ${back}\nget *\n` : ''}`)
  const options = [
    'StrictHostKeyChecking=no',
    `UserKnownHostsFile=${join(folder, 'hosts')}`,
    'IdentitiesOnly=yes',
  ]
  const started = performance.now()
  await run('sftp', [
    ...`-q -F none -P ${server.port}`.split(' '),
    '-i',
    key,
    '-b',
    batch,
    ...options.flatMap((option) => ['-o', option]),
    `${server.username}@127.0.0.1`,
  ])
  if (isFetched) await sameDigests(back, items)
  const seconds = (performance.now() - started) / 1000
  await rm(back, { recursive: true })
  return seconds
}

/** Compares the SHA-256 of fetched files with the announced ones. */
async function sameDigests(folder: string, items: readonly BenchItem[]): Promise<void> {
  const fetched = items.map((item) => ({ ...item, file: join(folder, item.name) }))
  assert.deepEqual(
    await getDigests(fetched),
    items.map(({ sha256 }) => sha256),
  )
}

async function sameSizes(folder: string, items: readonly BenchItem[]): Promise<void> {
  assert.deepEqual((await readdir(folder)).toSorted(), items.map(({ name }) => name).toSorted())
  for (const { name, size } of items) assert.equal((await stat(join(folder, name))).size, size)
}

const getTarget = ({ port, username, private_key, host_key }: SftpServer): SftpTarget => ({
  kind: 'SFTP',
  host: '127.0.0.1',
  port,
  username,
  private_key,
  host_key,
})

/** A key pair of gpg: its home, and the public key. */
interface Key {
  home: string
  public_key: string
}
const RECIPIENT = 'bench@example.com'

async function makeKey(folder: string): Promise<Key> {
  const home = join(folder, 'gnupg')
  await mkdir(home, { mode: 0o700 })
  const gpg = ['--homedir', home, '--batch', '-q']
  await run('gpg', [
    ...gpg,
    '--passphrase',
    '',
    '--quick-gen-key',
    RECIPIENT,
    'rsa3072',
    'encrypt,sign',
    'never',
  ])
  const { stdout } = await run('gpg', [...gpg, '--armor', '--export', RECIPIENT])
  await run('gpgconf', ['--homedir', home, '--kill', 'all'])
  return { home, public_key: stdout }
}

/** Seconds for the item in each, sent nowhere. */
async function pgpRound(
  server: SftpServer,
  key: Key,
  item: BenchItem,
  { isOdd, options }: { isOdd: boolean; options: Options },
): Promise<{ gpg: number; ours: number }> {
  const gpg = async () => {
    const started = performance.now()
    await run('gpg', [
      '--homedir',
      key.home,
      ...`--batch -q --yes --trust-model always -z 0 --cipher-algo AES256 -r ${RECIPIENT} -o /dev/null -e`.split(
        ' ',
      ),
      item.file,
    ])
    return (performance.now() - started) / 1000
  }
  const ours = async () =>
    (
      await deliveries(getTarget(server), options, {
        how: 'wrap',
        items: [{ ...item, path: item.name }],
        format: { type: 'PGP', public_key: key.public_key },
      })
    ).seconds
  if (isOdd) return { gpg: await gpg(), ours: await ours() }
  const first = await ours()
  return { gpg: await gpg(), ours: first }
}

/** The most bytes above idle while a process delivers the large item, by format. */
async function measureMemory(
  server: SftpServer,
  key: Key,
  item: BenchItem,
  options: Options,
): Promise<Record<string, number>> {
  const whole = await repeated(item, options)
  const formats: Deliveries['format'][] = [
    { type: 'Uncompressed' },
    { type: 'PGP', public_key: key.public_key },
  ]
  const found: Record<string, number> = {}
  for (const format of formats) {
    const path = join(server.folder, format.type)
    found[format.type] = (
      await deliveries(getTarget(server), options, { how: 'deliver', items: [{ ...whole, path }], format })
    ).above_idle
    await rm(path)
  }
  return found
}

function print(
  shapes: Shapes,
  sftp: Record<Shape, Round[]>,
  pgp: readonly { gpg: number; ours: number }[],
  memory: Record<string, number>,
  loads: readonly number[],
): void {
  for (const shape of ['many', 'large'] as const) {
    const { count, bytes } = shapes[shape]
    const rounds = sftp[shape]
    const rate = (side: keyof Round) =>
      ((count * bytes) / MIB / median(rounds.map((round) => round[side]))).toFixed(0)
    console.log(`
SFTP, ${count} × ${(bytes / 1000).toFixed(0)} kB, MiB/s:  sftp ${rate('openssh')}, sftp with fsync ${rate('openssh_synced')}, sftp with fsync, fetching and digesting all ${rate('openssh_fetched')}, ours ${rate('ours')}
  delivered, × sftp:                        ${spread(rounds.map(({ openssh, ours }) => openssh / ours))}
  delivered, × sftp with fsync:             ${spread(rounds.map(({ openssh_synced, ours }) => openssh_synced / ours))}
  delivered, × sftp, fetched and digested:  ${spread(rounds.map(({ openssh_fetched, ours }) => openssh_fetched / ours))}`)
  }
  console.log(`
OpenPGP, × gpg -z 0:  ${spread(pgp.map(({ gpg, ours }) => gpg / ours))}
Memory above idle, large item:  ${Object.entries(memory)
    .map(([format, bytes]) => `${format} ${(bytes / MIB).toFixed(0)} MiB`)
    .join(', ')}
Load of the machine: ${loads.map((load) => load.toFixed(1)).join(', ')}`)
}
