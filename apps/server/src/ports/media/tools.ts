import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs get only PATH: no secrets, no proxy settings. */
export const toolEnvironment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, LC_ALL: 'C' })

/** The confinements of a program that reads hostile bytes. `/readyz` names the missing ones. */
export const RESTRICTIONS = ['user', 'privileges', 'limits', 'network'] as const
export type Restriction = (typeof RESTRICTIONS)[number]

export interface ToolLimits {
  /** Written memory of the program, without its libraries. */
  memory_bytes: number
  cpu_seconds: number
}

/** Starts programs so that hostile bytes which take one over gain nothing. */
export interface Confinement {
  /** Unavailable confinements, in the order of `RESTRICTIONS`. */
  readonly missing: readonly Restriction[]
  /** Program and arguments to spawn. Each wrapper replaces itself with the next, so the process id stays. */
  command(program: string, args: readonly string[], allowed: ToolLimits): [program: string, args: string[]]
}

/**
 * The user id for the programs when we run as root: in no user list and without files. Not the user of the
 * embedded database, whose processes and files the programs could then reach.
 */
const UNPRIVILEGED_ID = 65_533

const USER = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups']
const NO_CAPABILITIES = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all']

function limits({ memory_bytes, cpu_seconds }: ToolLimits, has_own_user: boolean): string[] {
  const seconds = Math.ceil(cpu_seconds)
  return [
    'prlimit',
    `--data=${memory_bytes}`,
    // Shared memory does not count. Libraries alone map 300 MB.
    `--as=${memory_bytes + 1024 ** 3}`,
    // Also the size of each thread's stack, which counts as data.
    `--stack=${1024 ** 2}`,
    `--cpu=${seconds}:${seconds + 1}`,
    '--fsize=0',
    '--core=0',
    '--nofile=64',
    // Counted per user, threads included, so other processes of the user must not count.
    ...(has_own_user ? ['--nproc=256'] : []),
  ]
}

/** Limits of every POSIX shell, as a fallback. Memory is not among them. */
function basics({ cpu_seconds }: ToolLimits): string[] {
  const set = `ulimit -c 0; ulimit -f 0; ulimit -n 64; ulimit -t ${Math.ceil(cpu_seconds)}`
  return ['/bin/sh', '-c', `${set}; exec "$0" "$@"`]
}

/** The command of these confinements, outermost first; all are of util-linux. */
function build(restrictions: readonly Restriction[], allowed: ToolLimits): string[] {
  const is_root = process.getuid?.() === 0
  const has = (restriction: Restriction) => restrictions.includes(restriction)
  const setpriv = [
    ...(has('user') ? USER : []),
    ...(has('privileges') ? ['--no-new-privs', ...(is_root ? NO_CAPABILITIES : [])] : []),
  ]
  return [
    // A network without loopback. Users other than root need a user namespace for it.
    ...(has('network') ? ['unshare', ...(is_root ? [] : ['--user']), '--net', '--ipc'] : []),
    // In one step: changing the user needs capabilities, and the other user cannot drop them.
    ...(setpriv.length > 0 ? ['setpriv', ...setpriv] : []),
    ...(has('limits') ? limits(allowed, has('user')) : basics(allowed)),
  ]
}

/** Starts programs without confinement: for Windows, and for tests that show its effect. */
export const unconfined: Confinement = {
  missing: RESTRICTIONS,
  command: (program, args) => [program, [...args]],
}

const TRIAL: ToolLimits = { memory_bytes: 128 * 1024 ** 2, cpu_seconds: 5 }

/** Detects the available confinements by starting the program under them; with `arg` it ends at once. */
export async function detectConfinement(program: string, arg: string): Promise<Confinement> {
  if (process.platform === 'win32') return unconfined
  const holds = async (restrictions: readonly Restriction[]): Promise<boolean> => {
    const [first = program, ...rest] = [...build(restrictions, TRIAL), program, arg]
    return run(first, rest, { timeout: 10_000, env: toolEnvironment(), cwd: '/' }).then(
      () => true,
      () => false,
    )
  }
  const offered = RESTRICTIONS.filter(
    (restriction) => process.platform === 'linux' && (restriction !== 'user' || process.getuid?.() === 0),
  )
  let restrictions: Restriction[] = []
  if (await holds(offered)) restrictions = offered
  else
    for (const restriction of offered)
      if (await holds([...restrictions, restriction])) restrictions.push(restriction)
  return {
    missing: RESTRICTIONS.filter((restriction) => !restrictions.includes(restriction)),
    command(under, args, allowed) {
      const [first = under, ...rest] = [...build(restrictions, allowed), under, ...args]
      return [first, rest]
    },
  }
}

/** The detected programs, with configured paths or from PATH. */
export interface MediaTools {
  ffmpeg: string
  ffprobe: string
  ffmpeg_version: string
  ffprobe_version: string
  /** How both start. */
  confinement: Confinement
}

async function version(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['-version'], { timeout: 10_000, env: toolEnvironment() })
    return /^ff(?:mpeg|probe) version (\S+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

/** Finds ffmpeg and ffprobe at the given paths or in PATH. Undefined unless both start. */
export async function detectMedia(
  paths: { ffmpeg?: string; ffprobe?: string } = {},
): Promise<MediaTools | undefined> {
  const ffmpeg = paths.ffmpeg ?? 'ffmpeg'
  const ffprobe = paths.ffprobe ?? 'ffprobe'
  // An attempt copies the page tables of this process.
  if ([ffmpeg, ffprobe].some((path) => isAbsolute(path) && !existsSync(path))) return undefined
  const [ffmpeg_version, ffprobe_version] = await Promise.all([version(ffmpeg), version(ffprobe)])
  if (ffmpeg_version === undefined || ffprobe_version === undefined) return undefined
  const confinement = await detectConfinement(ffmpeg, '-version')
  return { ffmpeg, ffprobe, ffmpeg_version, ffprobe_version, confinement }
}

/**
 * For `/readyz`: whether recordings are converted, and which confinements are missing. It never makes the
 * server unready.
 */
export function describeMedia(tools: MediaTools | undefined): string {
  if (!tools) return 'not installed'
  const { missing } = tools.confinement
  return missing.length === 0 ? 'confined' : `without ${missing.join(', ')}`
}
