import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
/**
 * Injects faults below the real server and proves that acknowledged uploads survive a power cut:
 *
 *     node tools/rigs/fault-test.ts [--cuts 20]
 *
 * Each file system call of an upload fails once with EIO, ENOSPC and EDQUOT, and ends the process once. Other campaigns race
 * an upload with its repeat, cut the power under load, and test broken builds. Needs Linux, strace and the right to mount.
 * Exits with 1 on a problem.
 */
import { parseArgs } from 'node:util'
import { type Break, brokenBuild } from './broken-build.ts'
import {
  type Around,
  type RecordedSize,
  type Rig,
  startRig,
  type AnnouncedPayload,
  whatIsWrong,
} from './fault-rig.ts'

/** File calls of the commit path that can fail, without waits. */
const WATCHED =
  'openat,mkdir,mkdirat,link,linkat,unlink,unlinkat,write,pwrite64,fsync,fdatasync,close,stat,statx,newfstatat,fstat,read,pread64'

/**
 * Runs `work` while strace traces the file thread of `pid` and injects a fault such as `fsync:error=EIO:when=2`.
 * Resolves to the result and the calls in order. The process needs UV_THREADPOOL_SIZE=1, so that one thread makes all
 * calls.
 */
async function underStrace<T>(
  pid: number,
  inject: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: PromiseSettledResult<T>; calls: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-strace-'))
  const log = join(folder, 'log')
  const faults = inject.flatMap((each) => ['-e', `inject=${each}`])
  const strace = spawn(
    'strace',
    ['-y', '-o', log, '-e', `trace=${WATCHED}`, ...faults, '-p', String(fileThread(pid))],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(strace, 'exit')
  try {
    await attached(strace.stderr)
    const [result] = await Promise.allSettled([work()])
    strace.kill('SIGINT')
    await ended
    return { result, calls: (await readFile(log, 'utf8')).split('\n').filter((line) => /^\w+\(/.test(line)) }
  } finally {
    strace.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

/** Name of the call in a strace line, such as `fsync`. */
const getName = (call: string): string => /^\w+/.exec(call)?.[0] ?? ''

function fileThread(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`).filter(
    (id) => readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim() === 'libuv-worker',
  )
  const [only] = threads
  if (!only || threads.length > 1) throw new Error(`expected one thread for files, found ${threads.length}`)
  return only
}

async function attached(stderr: AsyncIterable<Buffer>): Promise<void> {
  let stated = ''
  for await (const chunk of stderr) {
    stated += chunk.toString()
    if (stated.includes('attached')) return
  }
  throw new Error(`strace could not watch: ${stated}`)
}

const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT'] as const
const KILL = 'KILL'

/** One call of the commit path, the nth of its name, with its fault. */
interface Fault {
  size: RecordedSize
  /** A new upload, or one whose object exists. */
  path: 'first' | 'repeat'
  call: string
  nth: number
  what: (typeof ERRORS)[number] | typeof KILL
}

/** Results of a campaign. `faults` counts injected faults; every list must be empty. */
interface FaultFindings {
  faults: number
  /** Acknowledged, and lost after a power cut. */
  lost: string[]
  /** Not acknowledged on the retry without the fault. */
  stuck: string[]
  /** The fault was not injected: the campaign proves less than it claims. */
  missed: string[]
}

/**
 * Injects one fault into each file system call of an upload, one upload each. Cuts the power after each
 * acknowledgement, with or without a retry. `wanted` selects faults.
 */
export async function singleFaults(
  rig: Rig,
  wanted: (fault: Fault) => boolean = () => true,
): Promise<FaultFindings> {
  const findings: FaultFindings = { faults: 0, lost: [], stuck: [], missed: [] }
  for (const size of ['packed', 'file'] as const)
    for (const path of ['first', 'repeat'] as const)
      for (const fault of (await traceFaults(rig, size, path)).filter(wanted))
        await tryFault(rig, fault, findings)
  return findings
}

/** The process ends while it syncs the folder of its new object. */
export const isKilledAfterLink = ({ size, path, call, nth, what }: Fault): boolean =>
  size === 'file' && path === 'first' && call === 'fsync' && nth === 2 && what === KILL

async function tryFault(rig: Rig, fault: Fault, findings: FaultFindings): Promise<void> {
  const [server, other] = rig.servers
  if (!server || !other) throw new Error('a fault needs two servers')
  const name = `${fault.size} ${fault.path} ${fault.call} ${fault.nth} ${fault.what}`
  const isKill = fault.what === KILL
  // A killed process starts again before the repeat, or another process receives it: a start syncs folders.
  const isTakenOver = isKill && fault.nth % 2 === 0
  let isInjecting = true
  const phone = await rig.phone(isTakenOver ? other : server, async (upload) => {
    if (!isInjecting) return upload()
    if (fault.path === 'repeat') await upload(server)
    const inject = [`${fault.call}:${isKill ? 'signal=KILL' : `error=${fault.what}`}:when=${fault.nth}`]
    const { result, calls } = await underStrace(server.pid(), inject, () => upload(server))
    // A killed process has written its output, which strace did not log.
    if (isKill ? result.status === 'rejected' : calls.some(isInjected)) findings.faults++
    else findings.missed.push(name)
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  const stated = await phone.record(fault.size)
  const check = async () => {
    const wrong = await rig.lostByPowerCut(stated)
    if (wrong) findings.lost.push(`${name}: ${wrong}`)
  }
  if (await phone.send(stated)) await check()
  isInjecting = false
  // Some faults hit a wake-up between threads, which ends the process.
  const hasEnded = isKill || !isRunning(server.pid())
  if (hasEnded) await server.kill({ database: false })
  if (hasEnded && !isTakenOver) await server.start()
  if (await phone.send(stated)) await check()
  else findings.stuck.push(name)
  if (isTakenOver) await server.start()
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const isInjected = (call: string): boolean => call.includes('(INJECTED)')

/** Times that an upload without faults is sent. */
const SENDS = 5

/** Traces of which the shortest counts. */
const TRACES = 3

/** Calls that can fail in an upload, from a trace. */
async function traceFaults(rig: Rig, size: RecordedSize, path: Fault['path']): Promise<Fault[]> {
  const [server] = rig.servers
  if (!server) throw new Error('the rig has no server')
  const traces: string[][] = []
  const watch: Around = async (upload) => {
    if (path === 'repeat') await upload()
    const watched = await underStrace(server.pid(), [], upload)
    traces.push(watched.calls)
    if (watched.result.status === 'rejected') throw watched.result.reason
    return watched.result.value
  }
  // The first upload of a process creates folders, and other work of a busy server may add calls to any trace.
  for (let times = 0; times < TRACES; times++) {
    const phone = await rig.phone(server, watch)
    const stated = await phone.record(size)
    // A busy server refuses an upload, and the device sends it again.
    for (let sent = 1; !(await phone.send(stated)); sent++)
      if (sent === SENDS) throw new Error('an upload without faults failed')
  }
  const [shortest = []] = traces.toSorted((a, b) => a.length - b.length)
  const seen = new Map<string, number>()
  return shortest.flatMap((line) => {
    // Keys that the process reads once for its first checkpoint.
    if (/\/(?:keys|checkpoints)[/>"]/.test(line)) return []
    const call = getName(line)
    const nth = (seen.get(call) ?? 0) + 1
    seen.set(call, nth)
    // Wake-ups between threads.
    if (line.includes('anon_inode')) return []
    return [...ERRORS, KILL].map((what) => ({ size, path, call, nth, what }) as Fault)
  })
}

/** Milliseconds that a running system call may take to end. */
const PATIENCE_MS = 30_000

/**
 * Runs `work` while the processes are stopped and their system calls have ended. Linux only (proc(5)). Throws when a
 * thread does not stop in time.
 */
async function holdStill<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    for (const pid of pids) await untilStopped(pid)
    return await work()
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

async function untilStopped(pid: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(2)) {
    const threads = await readdir(`/proc/${pid}/task`)
    const states = await Promise.all(threads.map((thread) => getState(pid, thread)))
    if (states.every((state) => state === 'T' || state === 't' || state === undefined)) return
  }
  throw new Error(`process ${pid} does not stand still`)
}

/** State letter of a thread; undefined when it has ended. */
async function getState(pid: number, thread: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')
  // The program's name before it is in brackets and may contain anything.
  return /^\d+ \(.*\) (\w)/s.exec(stat)?.[1]
}

const PHONES = 6

/**
 * Cuts the power `cuts` times during uploads, each after further acknowledgements; stops at the first loss.
 * `acknowledged` counts the checked uploads; `lost` must be empty.
 */
export async function cutPowerUnderLoad(
  rig: Rig,
  cuts: number,
): Promise<{ acknowledged: number; lost: string[] }> {
  const [server] = rig.servers
  if (!server) throw new Error('the rig has no server')
  const safe: AnnouncedPayload[] = []
  let isOver = false
  const sending = Array.from({ length: PHONES }, async () => {
    const phone = await rig.phone(server)
    while (!isOver) {
      const stated = await phone.record(safe.length % 3 === 0 ? 'file' : 'packed')
      if (await phone.send(stated)) safe.push(stated)
    }
  })
  const lost: string[] = []
  for (let cut = 1; cut <= cuts && lost.length === 0; cut++) {
    const more = safe.length + PHONES
    while (safe.length < more) await pause(10 + Math.random() * 300)
    const before = [...safe]
    // The copy takes time, and the file system must not move data meanwhile: all processes are stopped.
    const pids = rig.servers.map((each) => each.pid())
    const remains = await holdStill(pids, () => rig.disk.cutPower())
    for (const stated of before) {
      const wrong = await whatIsWrong(remains.folder, stated)
      if (wrong) lost.push(`cut ${cut}, ${stated.payload_reference}: ${wrong}`)
    }
    await remains.remove()
  }
  isOver = true
  await Promise.all(sending)
  return { acknowledged: safe.length, lost }
}

/**
 * Cuts the power `cuts` times, each right after a single acknowledged upload. Under load another upload's sync may
 * make forgotten data durable.
 */
export async function cutPowerAfterUploads(
  rig: Rig,
  cuts: number,
): Promise<{ acknowledged: number; lost: string[] }> {
  const [server] = rig.servers
  if (!server) throw new Error('the rig has no server')
  const phone = await rig.phone(server)
  const lost: string[] = []
  let acknowledged = 0
  for (let cut = 1; cut <= cuts && lost.length === 0; cut++) {
    const stated = await phone.record(cut % 2 === 0 ? 'packed' : 'file')
    if (!(await phone.send(stated))) continue
    acknowledged++
    const wrong = await rig.lostByPowerCut(stated)
    if (wrong) lost.push(`cut ${cut} at rest, ${stated.payload_reference}: ${wrong}`)
  }
  return { acknowledged, lost }
}

/** Microseconds that the first upload's folder sync hangs. */
const HANGS = 1_500_000

/**
 * The first upload hangs in a folder sync; the device repeats it through another process; then the first sync fails.
 * Resolves to problems: acknowledged data must survive a power cut at any time.
 */
export async function race(rig: Rig): Promise<string[]> {
  const [first, second] = rig.servers
  if (!first || !second) throw new Error('a race needs two servers')
  // The first upload of a process syncs more than later ones.
  const warm = await rig.phone(first)
  if (!(await warm.send(await warm.record('file')))) throw new Error('an upload without faults failed')
  const wrong: string[] = []
  const answers: string[] = []
  const phone = await rig.phone(first, async (upload) => {
    // The second fsync is that of the payload's folder, after the link.
    const inject = [`fsync:delay_enter=${HANGS}:error=EIO:when=2`]
    const hanging = underStrace(first.pid(), inject, upload)
    while (await rig.whatIsWrong(stated)) await pause(20)
    const repeat = await upload(second)
    answers.push(`repeat ${repeat.status}`)
    if (repeat.ok) await check('the repeat')
    const { result } = await hanging
    if (result.status === 'rejected') throw result.reason
    answers.push(`first ${result.value.status}`)
    return repeat
  })
  const stated = await phone.record('file')
  async function check(when: string): Promise<void> {
    const lost = await rig.lostByPowerCut(stated)
    if (lost) wrong.push(`after ${when}: ${lost}`)
  }
  await phone.send(stated)
  const expected = 'repeat 200, first 503'
  if (answers.join(', ') !== expected) wrong.push(`answers were ${answers.join(', ')}, not ${expected}`)
  const gone = await rig.whatIsWrong(stated)
  if (gone) wrong.push(`after the first upload failed: ${gone}`)
  await check('the first upload failed')
  return wrong
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { cuts: { type: 'string', default: '20' } } })
  const cuts = Number(values.cuts)
  const sound = await withRig(undefined, async (rig) => {
    const { faults, ...found } = await singleFaults(rig)
    console.log(`${faults} single faults`)
    const power = await cutPowerUnderLoad(rig, cuts)
    console.log(`${cuts} power cuts under load, ${power.acknowledged} uploads acknowledged`)
    const rest = await cutPowerAfterUploads(rig, cuts)
    console.log(`${rest.acknowledged} power cuts right after an upload`)
    const lists = { ...found, race: await race(rig), 'power cut': [...power.lost, ...rest.lost] }
    for (const [name, list] of Object.entries(lists)) for (const each of list) console.log(`${name}: ${each}`)
    return (
      faults > 0 &&
      power.acknowledged > 0 &&
      rest.acknowledged > 0 &&
      Object.values(lists).every((list) => list.length === 0)
    )
  })
  console.log(sound ? 'Nothing that was acknowledged was lost.' : 'The promise does NOT hold.')
  const canaries: [Break, (rig: Rig) => Promise<readonly string[]>][] = [
    ['no fsync', async (rig) => (await cutPowerUnderLoad(rig, 10)).lost],
    ['no fsync of packed objects', async (rig) => (await cutPowerAfterUploads(rig, 10)).lost],
    ['no fsync of folders', async (rig) => (await cutPowerAfterUploads(rig, 10)).lost],
    ['what was published is taken back', race],
  ]
  let isCaught = true
  for (const [name, campaign] of canaries) {
    const found = await withRig(name, campaign)
    console.log(`${found.length > 0 ? 'caught' : 'NOT CAUGHT'}: ${name}${found[0] ? ` (${found[0]})` : ''}`)
    isCaught &&= found.length > 0
  }
  return sound && isCaught
}

if (import.meta.main) process.exitCode = (await main()) ? 0 : 1

/** Runs `work` with two servers over one folder, from this source or a broken build. */
export async function withRig<T>(broken: Break | undefined, work: (rig: Rig) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-broken-'))
  try {
    const rig = await startRig(2, broken && (await brokenBuild(join(folder, 'build'), broken)))
    return await work(rig).finally(() => rig.close())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
