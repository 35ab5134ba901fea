import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds that a running system call may take to end. */
const PATIENCE_MS = 30_000

/**
 * Runs `work` while the processes are stopped and their system calls have ended. Linux only (proc(5)). Throws when a
 * thread does not stop in time.
 */
export async function holdStill<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
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
