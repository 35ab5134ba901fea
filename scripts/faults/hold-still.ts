import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a system call that is under way may take to end. */
const PATIENCE_MS = 30_000

/**
 * Does `work` while the processes stand still: every thread stopped, and what the kernel does for it ended. Linux only
 * (proc(5)). Throws when a thread goes on for longer than a system call may take.
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

/** The letter of a thread's state; undefined when it has ended. */
async function stateOf(pid: number, thread: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')
  // The program's name before it stands in brackets and may hold anything.
  return /^\d+ \(.*\) (\w)/s.exec(stat)?.[1]
}
