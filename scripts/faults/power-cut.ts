import { setTimeout as pause } from 'node:timers/promises'
import { holdStill } from './hold-still.ts'
import { type Rig, type Stated, whatIsWrong } from './rig.ts'

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
