import { setTimeout as pause } from 'node:timers/promises'
import type { Rig } from './rig.ts'
import { underStrace } from './strace.ts'

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
  if (!(await warm.send(await warm.record()))) throw new Error('an upload without faults failed')
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
  const stated = await phone.record()
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
