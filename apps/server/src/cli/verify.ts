import { availableParallelism } from 'node:os'
import { readConfig } from '../config.ts'
import { openArchive } from '../open-archive.ts'
import { verifyArchive, verifyReport } from '../verify/verify.ts'
import { defineCommand, exactly, UsageError } from './command.ts'

const OUTCOMES = { clean: 0, findings: 3, unverified: 1 } as const

function getEpoch(text: string): number {
  const epoch = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000
  if (!Number.isFinite(epoch))
    throw new UsageError('--since: epoch seconds, or a time such as 2026-11-22T02:00:00Z')
  return Math.floor(epoch)
}

/** `custodia verify`: compares the whole archive with its invariants, whether or not a server runs (docs/operations.md). */
export const verify = defineCommand({
  usage: `custodia verify [--deep] [--client=<name>] [--since=<epoch seconds or ISO time>] [--threads=<number>] [--json]

  --deep     opens every object as well
  --client   of one client only
  --since    only what changed since
  --threads  how many objects are opened at a time; without it one per core
  --json     prints the report as JSON

Ends with 0 when all is sound, with 3 when something was found, with 1 when it could not be verified.`,
  options: {
    deep: { type: 'boolean', default: false },
    client: { type: 'string' },
    since: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run({ deep, json, client, ...values }, positionals) {
    exactly(0, positionals)
    const threads = Number(values.threads ?? availableParallelism())
    if (!Number.isInteger(threads) || threads < 1) throw new UsageError('--threads: a number of threads')
    const since = values.since === undefined ? undefined : getEpoch(values.since)
    const archive = await openArchive(readConfig(process.env))
    const stop = new AbortController()
    const interrupt = () => stop.abort(new Error('interrupted'))
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
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
      return OUTCOMES[report.outcome]
    } finally {
      await archive.close()
    }
  },
})
