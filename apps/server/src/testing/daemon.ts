import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

export type Daemon = { readonly pid: number; running(): boolean; output(): string; stop(): Promise<void> }

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
  const keep = (data: Buffer) => (output = (output + data.toString()).slice(-4000))
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
  return { pid: child.pid ?? 0, running, output: () => output, stop }
}

/** Seconds within which a program is ready, however busy the machine is: beside other tests a server has taken more than one minute. */
const PATIENCE = 300

/** Waits until `ready` resolves to true; throws with the daemon's last words when it ends or nobody can be that patient. */
export async function untilReady(daemon: Daemon, what: string, ready: () => Promise<boolean>): Promise<void> {
  for (const started = Date.now(); Date.now() - started < PATIENCE * 1000; await pause(100)) {
    if (!daemon.running()) throw new Error(`${what} ended: ${daemon.output()}`)
    if (await ready().catch(() => false)) return
  }
  throw new Error(`${what} was not ready within ${PATIENCE} s: ${daemon.output()}`)
}

/** Removes the folder of a program that was stopped: what it had started may still write there for a moment. */
export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10 })

/** The path of a program, looked up in PATH and in the system folders that unprivileged shells leave out. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** A port on 127.0.0.1 that was free a moment ago, for programs that cannot be asked for port 0. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
