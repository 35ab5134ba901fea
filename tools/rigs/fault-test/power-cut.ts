import { setTimeout as pause } from 'node:timers/promises'
import { readdir, readFile } from 'node:fs/promises'
import { type Rig, type Stated, whatIsWrong } from './rig.ts'

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
    const states = await Promise.all(threads.map((thread) => stateOf(pid, thread)))
    if (states.every((state) => state === 'T' || state === 't' || state === undefined)) return
  }
  throw new Error(`process ${pid} does not stand still`)
}

/** State letter of a thread; undefined when it has ended. */
async function stateOf(pid: number, thread: string): Promise<string | undefined> {
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
  const safe: Stated[] = []
  let isOver = false
  const sending = Array.from({ length: PHONES }, async () => {
    const phone = await rig.phone(server)
    while (!isOver) {
      const stated = await phone.record()
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
    const stated = await phone.record()
    if (!(await phone.send(stated))) continue
    acknowledged++
    const wrong = await rig.lostByPowerCut(stated)
    if (wrong) lost.push(`cut ${cut} at rest, ${stated.payload_reference}: ${wrong}`)
  }
  return { acknowledged, lost }
}
