import type { Around, Rig } from './rig.ts'
import { nameOf, underStrace } from './strace.ts'

const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT'] as const
const KILL = 'KILL'

/** One call of the commit path, the nth of its name, with its fault. */
export interface Fault {
  /** A new upload, or one whose object exists. */
  path: 'first' | 'repeat'
  call: string
  nth: number
  what: (typeof ERRORS)[number] | typeof KILL
}

/** Results of a campaign. `faults` counts injected faults; every list must be empty. */
export interface FaultFindings {
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
  for (const path of ['first', 'repeat'] as const) {
    for (const fault of (await faultsOf(rig, path)).filter(wanted)) await tryFault(rig, fault, findings)
  }
  return findings
}

/** The process ends while it syncs the folder of its new object. */
export const isKilledAfterLink = ({ path, call, nth, what }: Fault): boolean =>
  path === 'first' && call === 'fsync' && nth === 2 && what === KILL

async function tryFault(rig: Rig, fault: Fault, findings: FaultFindings): Promise<void> {
  const [server] = rig.servers
  if (!server) throw new Error('the rig has no server')
  const name = `${fault.path} ${fault.call} ${fault.nth} ${fault.what}`
  let isInjecting = true
  const phone = await rig.phone(server, async (upload) => {
    if (!isInjecting) return upload()
    if (fault.path === 'repeat') await upload()
    const what = fault.what === KILL ? 'signal=KILL' : `error=${fault.what}`
    const inject = [`${fault.call}:${what}:when=${fault.nth}`]
    const { result, calls } = await underStrace(server.pid(), inject, upload)
    // A killed process has written its output, which strace did not log.
    if (fault.what === KILL ? result.status === 'rejected' : calls.some(isInjected)) findings.faults++
    else findings.missed.push(name)
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  const stated = await phone.record()
  const check = async () => {
    const wrong = await rig.lostByPowerCut(stated)
    if (wrong) findings.lost.push(`${name}: ${wrong}`)
  }
  if (await phone.send(stated)) await check()
  isInjecting = false
  if (fault.what === KILL) {
    await server.kill({ database: false })
    await server.start()
  }
  if (await phone.send(stated)) await check()
  else findings.stuck.push(name)
}

const isInjected = (call: string): boolean => call.includes('(INJECTED)')

/** Calls that can fail in an upload, from a trace. */
async function faultsOf(rig: Rig, path: Fault['path']): Promise<Fault[]> {
  const [server] = rig.servers
  if (!server) throw new Error('the rig has no server')
  let calls: string[] = []
  const watch: Around = async (upload) => {
    if (path === 'repeat') await upload()
    const watched = await underStrace(server.pid(), [], upload)
    calls = watched.calls
    if (watched.result.status === 'rejected') throw watched.result.reason
    return watched.result.value
  }
  // The first upload of a process creates folders.
  for (let times = 0; times < 2; times++) {
    const phone = await rig.phone(server, watch)
    if (!(await phone.send(await phone.record()))) throw new Error('an upload without faults failed')
  }
  const seen = new Map<string, number>()
  return calls.flatMap((line) => {
    const call = nameOf(line)
    const nth = (seen.get(call) ?? 0) + 1
    seen.set(call, nth)
    // Wake-ups between threads.
    if (line.includes('anon_inode')) return []
    return [...ERRORS, KILL].map((what) => ({ path, call, nth, what }) as Fault)
  })
}
