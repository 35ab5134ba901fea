/** One job in a process of its own, which its test kills at any moment: `retention`, `migration` or `transfer`. */
import { readConfig } from '../config.ts'
import { issueCertificates } from '../destruction/certificates/issue.ts'
import { finishDestructions } from '../destruction/finish.ts'
import { AuditLog } from '../http/audit.ts'
import { carryOutMigration } from '../migrations/engine.ts'
import { openArchive } from '../open-archive.ts'
import { getEgress } from '../ports/egress/guard.ts'
import { noScanner } from '../ports/scanner/port.ts'
import { carryOut } from '../retention/engine.ts'
import { carryOutRun } from '../transfers/engine.ts'
import { reconcileConfig } from '../transfers/reconciliation/reconcile.ts'

const [job = '', client = '', id = '', subject = '', act = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const config = readConfig(process.env)
const archive = await openArchive(config)
const account = { client, client_id: Number(id) }
const parts = { ...archive, audit: new AuditLog(archive.db), now: () => Math.floor(Date.now() / 1000) }

/** Runs retention; `subject` is the number of acts after which it is killed. */
async function retention(): Promise<void> {
  let left = subject === '' ? Infinity : Number(subject)
  const note = () => {
    left -= 1
    if (left <= 0) process.kill(process.pid, 'SIGKILL')
  }
  /** The same, each call of it being an act, that begins and ends. */
  function counted<T extends object>(target: T, names: readonly (keyof T)[]): T {
    return new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name, of)
        if (typeof value !== 'function') return value
        if (!names.includes(name as keyof T)) return value.bind(of) as unknown
        return async (...args: unknown[]) => {
          note()
          const done: unknown = await value.apply(of, args)
          note()
          return done
        }
      },
    })
  }
  const ledger = counted(archive.keys.ledger, ['append'])
  const ctx = {
    ...parts,
    db: counted(archive.db, ['write']),
    keys: counted({ ...archive.keys, ledger }, ['forget', 'sign']),
    objects: counted(archive.objects, ['delete']),
    // Few, so that there are many moments at which it can be killed.
    most: 2,
  }
  let isOver = false
  // As the jobs of workers, at the same time.
  const finish = async () => {
    for (let last = false; ; last = isOver) {
      await finishDestructions(ctx, account, signal)
      await issueCertificates(ctx, account, signal)
      if (last) return
    }
  }
  const finishing = finish()
  await carryOut(ctx, account, signal)
  isOver = true
  await finishing
}

/** Carries a migration out; the sweep processes its payloads. Tells its memory. */
async function migration(): Promise<void> {
  const jobs = { send: async () => undefined, stop: async () => undefined }
  const ctx = { ...parts, config, scanner: noScanner, jobs }
  await carryOutMigration(ctx, { ...account, migration_reference: subject }, signal)
  process.stdout.write(`${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`)
}

/** Carries a run of a transfer out, or reconciles a config. */
async function transfer(): Promise<void> {
  const ctx = { ...parts, egress: getEgress(config) }
  if (act === 'reconcile') await reconcileConfig(ctx, { ...account, reference: subject }, signal)
  else await carryOutRun(ctx, { ...account, transfer_id: subject }, signal)
}

process.stdout.write('begins\n')
await (job === 'retention' ? retention() : job === 'migration' ? migration() : transfer())
await archive.close()
