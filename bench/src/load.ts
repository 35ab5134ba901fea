import { Agent, request } from 'node:http'
import { cpuMilliseconds } from './cpu.ts'

/** What one run measured. */
export interface Sample {
  requests: number
  per_second: number
  p50: number
  p99: number
  /** Milliseconds of CPU per request, of the server and its database connections. */
  cpu: number
}

export interface Target {
  port: number
  path: () => string
  headers: Record<string, string>
  /** Processes that do the work. */
  pids: () => Promise<readonly number[]>
}

/** Reads one answer whole. Throws on any status but 200 and 206. */
export function fetchBytes(target: Omit<Target, 'pids'>, agent?: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { port, headers } = target
    request({ port, host: '127.0.0.1', path: target.path(), headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200 || response.statusCode === 206) resolve(body)
        else reject(new Error(`${response.statusCode}: ${body.toString().slice(0, 500)}`))
      })
    })
      .on('error', reject)
      .end()
  })
}

/** Keeps `connections` requests under way for so long; each sends its next one when the last was answered. */
export async function load(target: Target, connections: number, milliseconds: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const taken: number[] = []
  const before = cpuMilliseconds(await target.pids())
  const started = performance.now()
  const client = async () => {
    while (performance.now() - started < milliseconds) {
      const at = performance.now()
      await fetchBytes(target, agent)
      taken.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  const elapsed = performance.now() - started
  const cpu = cpuMilliseconds(await target.pids()) - before
  agent.destroy()
  taken.sort((a, b) => a - b)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0
  return {
    requests: taken.length,
    per_second: (taken.length * 1000) / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    cpu: cpu / taken.length,
  }
}
