import { readFile } from 'node:fs/promises'

const SAMPLE_EVERY_MS = 100

/** Memory of one phase; resident, in bytes. */
export interface PhaseMemory {
  name: string
  peak: number
  /** Peak of child processes: ffmpeg. */
  children: number
  milliseconds: number
}

/** Samples the memory of a process and its ffmpeg children (Linux), phase by phase. */
export function watchMemory(pid: number) {
  const phases: PhaseMemory[] = []
  let began = Date.now()
  const end = () => {
    const last = phases.at(-1)
    if (last) last.milliseconds = Date.now() - began
  }
  const timer = setInterval(async () => {
    const phase = phases.at(-1)
    const [own, children] = [await residentOf(pid), await residentOfChildren(pid)]
    if (!phase) return
    phase.peak = Math.max(phase.peak, own)
    phase.children = Math.max(phase.children, children)
  }, SAMPLE_EVERY_MS)
  return {
    phase(name: string): void {
      end()
      began = Date.now()
      phases.push({ name, peak: 0, children: 0, milliseconds: 0 })
    },
    stop(): PhaseMemory[] {
      end()
      clearInterval(timer)
      return phases
    },
  }
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

/** Excludes the database, which is a child as well. */
async function residentOfChildren(pid: number): Promise<number> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  let sum = 0
  for (const child of list.split(' ').filter(Boolean)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.startsWith('ff')) sum += await residentOf(Number(child))
  }
  return sum
}
