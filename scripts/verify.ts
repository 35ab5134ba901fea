/**
 * Compares the whole archive with its invariants, beside the running server or without one (docs/operations.md):
 *
 *     npm run verify [-- --deep] [--client=<name>] [--since=<epoch seconds or ISO time>] [--threads=2] [--json]
 *
 * Ends with 0 when all is sound, with 1 when something was found, with 2 when it could not be verified.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { readConfig } from '../apps/server/src/config.ts'
import { openArchive } from '../apps/server/src/open-archive.ts'
import { verifyReport } from '../apps/server/src/verify/report.ts'
import { verifyArchive } from '../apps/server/src/verify/verify.ts'

const EXIT = { clean: 0, findings: 1, unverified: 2 } as const

function readArguments() {
  const { values } = parseArgs({
    options: {
      deep: { type: 'boolean', default: false },
      client: { type: 'string' },
      since: { type: 'string' },
      threads: { type: 'string', default: String(availableParallelism()) },
      json: { type: 'boolean', default: false },
    },
  })
  const threads = Number(values.threads)
  if (!Number.isInteger(threads) || threads < 1) throw new Error('--threads: a number of threads')
  return { ...values, threads, since: values.since === undefined ? undefined : epochOf(values.since) }
}

function epochOf(text: string): number {
  const epoch = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000
  if (!Number.isFinite(epoch))
    throw new Error('--since: epoch seconds, or a time such as 2026-11-22T02:00:00Z')
  return Math.floor(epoch)
}

async function main(): Promise<number> {
  const { deep, json, client, since, threads } = readArguments()
  const archive = await openArchive(readConfig(process.env))
  const stop = new AbortController()
  process
    .once('SIGINT', () => stop.abort(new Error('interrupted')))
    .once('SIGTERM', () => stop.abort(new Error('interrupted')))
  try {
    const report = await verifyArchive(archive, {
      client,
      since,
      threads,
      signal: stop.signal,
      ...(deep ? { open: { of: 1, rest: 0 } } : {}),
      say: (step) => console.error(step),
    })
    console.log(json ? JSON.stringify(report, null, 2) : verifyReport(report))
    return EXIT[report.outcome]
  } finally {
    await archive.close()
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = EXIT.unverified
  },
)
