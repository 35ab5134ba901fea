import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { BoundSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type Daemon = {
  readonly pid: number
  running(): boolean
  output(): string
  /** The address that a server of ours has printed; undefined until it listens. */
  address(): string | undefined
  stop(): Promise<void>
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a program in the foreground. It dies with this process, also when that is killed (Linux, util-linux). */
export function startDaemon(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): Daemon {
  const bound = findProgram('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []
  const [program = command, ...rest] = [...bound, command, ...args]
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let address: string | undefined
  const keep = (data: Buffer) => {
    output += data.toString()
    address ??= /^Listening on (\S+)\n/m.exec(output)?.[1]
    output = output.slice(-4000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.on('error', (error) => (output += String(error)))
  children.add(child)
  const running = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null

  async function stop(): Promise<void> {
    if (running()) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const stubborn = setTimeout(() => child.kill('SIGKILL'), 2000)
      await ended
      clearTimeout(stubborn)
    }
    children.delete(child)
  }
  return { pid: child.pid ?? 0, running, output: () => output, address: () => address, stop }
}

/** Seconds until a program must be ready; a server on a busy machine has taken more than one minute. */
const PATIENCE = 300

/** Waits until `ready` resolves to true; throws with the daemon's output when it ends or the time is over. */
export async function untilReady(daemon: Daemon, what: string, ready: () => Promise<boolean>): Promise<void> {
  for (const started = Date.now(); Date.now() - started < PATIENCE * 1000; await pause(100)) {
    if (!daemon.running()) throw new Error(`${what} ended: ${daemon.output()}`)
    if (await ready().catch(() => false)) return
  }
  throw new Error(`${what} was not ready within ${PATIENCE} s: ${daemon.output()}`)
}

/** Waits until a server of ours has printed its address. */
export async function untilListening(daemon: Daemon, what: string): Promise<string> {
  await untilReady(daemon, what, async () => daemon.address() !== undefined)
  return daemon.address() ?? ''
}

/** Removes the folder of a stopped program; its child processes may still write there for a moment. */
export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10 })

/** The path of a program, looked up in PATH and in the system folders that unprivileged shells leave out. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Below it lie the usual ports of servers. */
const LOWEST_PORT = 20_000

/**
 * A port on 127.0.0.1 for a program that cannot choose one itself. The kernel gives it to no program that asks for
 * any port, and no other process that calls this function gets it before this process ends.
 */
export async function reservePort(): Promise<number> {
  const ports = portsToReserve()
  const start = Math.floor(Math.random() * ports.length)
  for (const port of [...ports.slice(start), ...ports.slice(0, start)]) if (await claimPort(port)) return port
  throw new Error('no port outside the ephemeral range is free')
}

function portsToReserve(): number[] {
  const [first = 0, last = 0] = ephemeralRange()
  const ports = Array.from({ length: 65_536 - LOWEST_PORT }, (_, i) => LOWEST_PORT + i)
  return ports.filter((port) => port < first || port > last)
}

/** The ports that the kernel chooses from: of Linux, or of systems that follow IANA. */
function ephemeralRange(): number[] {
  const file = '/proc/sys/net/ipv4/ip_local_port_range'
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(/\s+/).map(Number) : [49_152, 65_535]
}

/** The UDP port of the same number is the claim: one process can hold it, and it is free once that process ends. */
async function claimPort(port: number): Promise<boolean> {
  const claim = createSocket('udp4')
  try {
    claim.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(claim, 'listening')
    // Fails where a program listens already.
    new BoundSocket({ host: '127.0.0.1', port }).close()
    claim.unref()
    return true
  } catch {
    claim.close()
    return false
  }
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface MainProcess {
  url: string
  dataDir: string
  daemon: Daemon
  /** Ends the process and removes its folder. */
  stop(): Promise<void>
}

/** The server as a process of its own, ready to serve, on a folder of its own and, unless `env` names another, an embedded database; without demo. */
export async function mainProcess(
  env: Record<string, string> = {},
  args: string[] = [],
): Promise<MainProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'custodia-main-'))
  const settings = {
    ...process.env,
    DATABASE_URL: '',
    PORT: '0',
    STATUS_PORT: '0',
    CUSTODIA_DATA: dataDir,
    LOG_LEVEL: 'warn',
    DEMO: 'false',
    ...env,
  }
  const daemon = startDaemon(process.execPath, [MAIN, 'start', ...args], settings)
  const stop = async () => {
    await daemon.stop()
    rmSync(settings.CUSTODIA_DATA, { recursive: true, force: true })
  }
  try {
    const url = await untilListening(daemon, 'the server')
    return { url, dataDir: settings.CUSTODIA_DATA, daemon, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const MOUNT = findProgram('mount')
const UMOUNT = findProgram('umount')

/** Options for a test that mounts a file system of its own; without the privilege it is skipped by name. */
export const mayMount = {
  skip:
    process.platform === 'linux' && process.getuid?.() === 0 && MOUNT && UMOUNT
      ? false
      : 'needs the privilege to mount a small file system',
} as const

/** Mounts a file system in memory over a folder, e.g. `size=64k` or `ro`. @returns a function that takes it away. */
export function smallDisk(folder: string, options: string): () => void {
  execFileSync(MOUNT ?? '', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  return () => void execFileSync(UMOUNT ?? '', ['-l', folder])
}
