import { Agent, request } from 'node:http'
import { cpuOfEach, cpuSince } from './cpu.ts'
import { quantile } from './quantile.ts'

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
  /** Sent by POST; without one it is a GET. */
  body?: string
  /** Processes that do the work. */
  pids: () => Promise<readonly number[]>
}

/** Reads one answer whole. Throws on any status but 200 and 206. */
export function fetchBytes(target: Omit<Target, 'pids'>, agent?: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { port, headers, body: sent } = target
    const method = sent === undefined ? 'GET' : 'POST'
    request({ port, host: '127.0.0.1', path: target.path(), method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200 || response.statusCode === 206) resolve(body)
        else reject(new Error(`${target.path()}: ${response.statusCode}: ${body.toString().slice(0, 500)}`))
      })
    })
      .on('error', reject)
      .end(sent)
  })
}

/** Sends requests over so many connections for so long, at least one over each. A connection sends one request at a time. */
export async function load(target: Target, connections: number, milliseconds: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const taken: number[] = []
  const before = cpuOfEach(await target.pids())
  const started = performance.now()
  const client = async () => {
    do {
      const at = performance.now()
      await fetchBytes(target, agent)
      taken.push(performance.now() - at)
    } while (performance.now() - started < milliseconds)
  }
  await Promise.all(Array.from({ length: connections }, client))
  const elapsed = performance.now() - started
  const cpu = cpuSince(before, await target.pids())
  agent.destroy()
  return {
    requests: taken.length,
    per_second: (taken.length * 1000) / elapsed,
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    cpu: cpu / taken.length,
  }
}
