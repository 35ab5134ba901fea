import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** File calls of the commit path that can fail, without waits. */
const WATCHED =
  'openat,mkdir,mkdirat,link,linkat,unlink,unlinkat,write,pwrite64,fsync,fdatasync,close,stat,statx,newfstatat,fstat,read,pread64'

/**
 * Runs `work` while strace traces the file thread of `pid` and injects a fault such as `fsync:error=EIO:when=2`.
 * Resolves to the result and the calls in order. The process needs UV_THREADPOOL_SIZE=1, so that one thread makes all
 * calls.
 */
export async function underStrace<T>(
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
export const nameOf = (call: string): string => /^\w+/.exec(call)?.[0] ?? ''

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
