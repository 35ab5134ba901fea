import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { processState } from './owner-lock.ts'
import type { Launcher } from './run-as.ts'

/** How long to wait for a killed predecessor's lock file or shared memory. */
const LOCK_RETRY_MS = 5_000
/**
 * A fast shutdown writes a checkpoint; after this time we stop without one and the next start recovers from
 * the log.
 */
const STOP_MS = 60_000
const RECOVERY_NOTICE_MS = 10_000

export interface PostmasterOptions {
  program: string
  dataDir: string
  args: string[]
  spawn: SpawnOptions
  /** Program and arguments that start a program as PostgreSQL's user. */
  command: Launcher['command']
  log: (message: string) => void
  /** Called when PostgreSQL ends unexpectedly. */
  onExit: (reason: string) => void
}

export interface Postmaster {
  pid: number
  stop(): Promise<void>
  /** Lets this process end while PostgreSQL still runs; exit then stops PostgreSQL. */
  unref(): void
}

/** Starts PostgreSQL and waits until it accepts connections, however long crash recovery takes. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const deadline = Date.now() + LOCK_RETRY_MS
  for (;;) {
    const started = await launch(options)
    if ('pid' in started) return started
    const held = /lock file .* already exists|still in use/.test(started.output)
    if (!held || Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${started.output}`)
    await sleep(150)
  }
}

async function launch(options: PostmasterOptions): Promise<Postmaster | { output: string }> {
  const { program, dataDir, args, log } = options
  // detached: its own session, so that Ctrl-C in a terminal stops the server first and the database
  // afterwards.
  const child = spawn(...options.command(program, ['-D', dataDir, ...args]), {
    ...options.spawn,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  let ready = false
  let stopping = false
  const lines = child.stderr && createInterface({ input: child.stderr })
  lines?.on('line', (line) => {
    if (ready) log(line)
    else output = `${output}${line}\n`.slice(-8_000)
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(`exit ${signal ?? code}`))
  })
  const stopAtExit = () => void child.kill('SIGINT')
  process.on('exit', stopAtExit)
  void ended.then((reason) => {
    process.off('exit', stopAtExit)
    if (ready && !stopping) options.onExit(reason)
  })

  const failure = await untilReady(child, dataDir, ended, log)
  if (failure !== null || child.pid === undefined) return { output: output || (failure ?? '') }
  ready = true
  return {
    pid: child.pid,
    async stop() {
      stopping = true
      await interrupt(child, ended)
    },
    unref() {
      child.unref()
      if (child.stderr instanceof Socket) child.stderr.unref()
    },
  }
}

/** Null once PostgreSQL accepts connections, or the reason why it ended. */
async function untilReady(
  child: ChildProcess,
  dataDir: string,
  ended: Promise<string>,
  log: (message: string) => void,
): Promise<string | null> {
  let failure: string | null = null
  void ended.then((reason) => (failure = reason))
  for (let notice = Date.now() + RECOVERY_NOTICE_MS; failure === null; await sleep(10)) {
    const file = pidFile(dataDir)
    // PostgreSQL's own protocol with pg_ctl: line 1 is its pid, line 8 its status.
    if (Number(file[0]) === child.pid && file[7]?.trim() === 'ready') return null
    if (Date.now() < notice) continue
    log('PostgreSQL is still starting; after a crash it replays its log first')
    notice = Date.now() + RECOVERY_NOTICE_MS
  }
  return failure
}

async function interrupt(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.ref()
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_MS)
  await ended
  clearTimeout(timer)
}

/**
 * Stops the PostgreSQL that a killed server left on this data folder. Call it only with the owner lock,
 * because it cannot distinguish an orphan from the database of a living server.
 * @returns whether there was one
 */
export async function stopOrphan(dataDir: string): Promise<boolean> {
  const pid = Number(pidFile(dataDir)[0])
  const runs = () => processState(pid)?.command.includes(dataDir) ?? false
  if (!runs()) return false
  process.kill(pid, 'SIGINT')
  const quitAt = Date.now() + STOP_MS
  for (let quit = false; runs(); await sleep(20)) {
    if (quit || Date.now() < quitAt) continue
    process.kill(pid, 'SIGQUIT')
    quit = true
  }
  return true
}

function pidFile(dataDir: string): string[] {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
