/** Runs retention in a separate process, which its test kills at any moment, or which exits between two acts. */
import { readConfig } from '../config.ts'
import { issueCertificates } from '../destruction/certificates/issue.ts'
import { finishDestructions } from '../destruction/finish.ts'
import { AuditLog } from '../http/audit.ts'
import { openArchive } from '../open-archive.ts'
import { carryOut } from '../retention/engine.ts'

/** `later`: destructions finish after all of them, as when the job of the next minute finishes them. */
const [client = '', client_id = '', acts = '', finishes = 'meanwhile'] = process.argv.slice(2)
const NEVER = new AbortController().signal
const archive = await openArchive(readConfig(process.env))
const account = { client, client_id: Number(client_id) }

/** Acts after which it is killed. */
let left = acts === '' ? Infinity : Number(acts)
const act = () => {
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
        act()
        const done: unknown = await value.apply(of, args)
        act()
        return done
      }
    },
  })
}
const ledger = counted(archive.keys.ledger, ['append'])
const parts = {
  ...archive,
  db: counted(archive.db, ['write']),
  keys: counted({ ...archive.keys, ledger }, ['forget', 'sign']),
  objects: counted(archive.objects, ['delete']),
  audit: new AuditLog(archive.db),
  // Few, so that there are many moments at which it can be killed.
  most: 2,
}

let isOver = false
process.stdout.write('begins\n')
// As the jobs of workers, at the same time.
const finish = async () => {
  for (let last = false; ; last = isOver) {
    await finishDestructions(parts, account, NEVER)
    await issueCertificates(parts, account, NEVER)
    if (last) return
  }
}
const finishing = finishes === 'later' ? undefined : finish()
await carryOut(parts, account, NEVER)
isOver = true
await (finishing ?? finish())
await archive.close()
