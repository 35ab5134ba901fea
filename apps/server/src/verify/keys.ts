import { Worker } from 'node:worker_threads'
import { STATE_CODES as S } from '../payload-records/codes.ts'
import {
  accountKeyContext,
  commentKeyContext,
  dekContext,
  gpsKeyContext,
  holdReasonKeyContext,
  markKeyContext,
  reportKeyContext,
  transferConfigContext,
  webhookSecretContext,
  wordKeyContext,
} from '../ports/keys/contexts.ts'
import { type KeptDeviceDek, openDeviceDek } from '../ports/keys/device-dek.ts'
import { CiphertextRefused, type KeyContext, KeyUnknown } from '../ports/keys/port.ts'
import type { Check, Client, Scope } from './checks.ts'
import type { DecryptorSettings, OpenResult, OpenTask } from './open-worker.ts'

export interface Decryptors {
  /** Opens objects on free threads; results are in the order of the tasks. */
  open(tasks: OpenTask[]): Promise<OpenResult[]>
  readonly size: number
  close(): Promise<void>
}

interface Decryptor {
  worker: Worker
  /** Settles the tasks under way. */
  done?: { resolve(results: OpenResult[]): void; reject(error: unknown): void } | undefined
}

/** Starts `size` threads. If a thread exits, its task and all later ones fail. */
export function startDecryptors(settings: DecryptorSettings, size: number): Decryptors {
  const waiting: ((decryptor: Decryptor) => void)[] = []
  const free: Decryptor[] = []
  let failure: unknown
  const decryptors = Array.from({ length: size }, () => {
    const decryptor: Decryptor = {
      worker: new Worker(new URL('./open-worker.ts', import.meta.url), { workerData: settings }),
    }
    decryptor.worker.on('message', (results: OpenResult[]) => {
      const { done } = decryptor
      decryptor.done = undefined
      giveBack(decryptor)
      done?.resolve(results)
    })
    const fail = (error: unknown) => {
      failure ??= error
      decryptor.done?.reject(error)
    }
    decryptor.worker.on('error', fail)
    decryptor.worker.on('exit', (code) => fail(new Error(`a thread that opens objects ended with ${code}`)))
    free.push(decryptor)
    return decryptor
  })

  function giveBack(decryptor: Decryptor): void {
    const next = waiting.shift()
    if (next) next(decryptor)
    else free.push(decryptor)
  }

  return {
    size,
    async open(tasks) {
      if (failure !== undefined) throw failure
      const decryptor = free.shift() ?? (await new Promise<Decryptor>((resolve) => waiting.push(resolve)))
      return new Promise((resolve, reject) => {
        decryptor.done = { resolve, reject }
        decryptor.worker.postMessage(tasks)
      })
    },
    async close() {
      await Promise.all(decryptors.map(({ worker }) => worker.terminate()))
    },
  }
}

/** Bytes at the beginning of a wrapped key that name the key which opens it. */
const HEAD = 5
/** Slot names all begin with 2 and do not identify keys; `verifySlots` checks each. */
const getHead = (column: string) =>
  `substring(${column} for case when substring(${column} for 1) = '\\x02' then 1 else ${HEAD} end)`

/**
 * Whether the key provider works: it opens one wrapped key of each kind and version, and the client's account key.
 * The deep check opens all.
 */
export async function verifyKeys(scope: Scope, client: Client): Promise<void> {
  await verifyDataKeys(scope, client)
  await verifyKeks(scope, client)
  for (const keys of WRAPPED_KEYS) await verifyWrappedKeys(scope, client, keys)
}

interface DataKey {
  payload_reference: string
  wrapped_dek: Buffer
  count: number
}

async function verifyDataKeys(scope: Scope, client: Client): Promise<void> {
  const wrapped = await scope.session.rows<DataKey>(
    `select p.payload_reference, o.wrapped_dek, x.count from (
       select ${getHead('wrapped_dek')} as head, count(*)::int as count, min(payload_id) as payload_id from payload_objects
       where client_id = $1 and wrapped_dek is not null group by 1
     ) x join payloads p using (payload_id)
     join lateral (select wrapped_dek from payload_objects o where o.client_id = $1 and o.payload_id = x.payload_id
       and ${getHead('o.wrapped_dek')} = x.head limit 1) o on true
     where ($2::bigint is null or p.updated_at >= $2)`,
    [client.client_id, scope.since],
  )
  for (const { payload_reference, wrapped_dek, count } of wrapped)
    await tryKey(scope, client, `${payload_reference} and ${count - 1} more`, 'a wrapped data key', () =>
      scope.ctx.keys.unwrap(wrapped_dek, dekContext(client.client, payload_reference)),
    )
}

/** The keys of devices, of which each seals data keys. */
async function verifyKeks(scope: Scope, client: Client): Promise<void> {
  const announced = await scope.session.rows<KeptDeviceDek & { payload_reference: string; key_id: string }>(
    `select distinct on (e.key_id) p.payload_reference, e.key_id, e.encrypted_dek, e.dek_key
     from client_keys k join payload_envelopes e on e.client_id = k.client_id and e.key_id = k.key_id join payloads p using (payload_id)
     where k.client_id = $1 and p.state in (${S.Processed}, ${S.NotRecorded}) order by e.key_id`,
    [client.client_id],
  )
  for (const kept of announced)
    await tryKey(scope, client, kept.payload_reference, `the devices' key ${kept.key_id}`, () =>
      openDeviceDek(scope.ctx.keys, { ...kept, client: client.client }),
    )
}

/** Keys of one kind that the key provider wrapped, by the table that has them. */
interface WrappedKeys {
  what: string
  /** SQL: a table `k` with `client_id` and `wrapped_key`. */
  from: string
  /** SQL: whose key a finding names. */
  subject: string
  /** SQL: the reference in the context. Absent: `subject`. */
  reference?: string
  /** SQL: when the key was made. Absent: keys of any time are opened. */
  at?: string
  context(client: string, reference: string): KeyContext
}

const WITH_DEVICE = 'k join devices d using (client_id, device_id)'
const WRAPPED_KEYS: readonly WrappedKeys[] = [
  {
    what: 'the key of a comment',
    from: 'payload_comments k',
    subject: 'comment_id',
    at: 'raised_at',
    context: commentKeyContext,
  },
  {
    what: 'the key of a mark',
    from: 'payload_marks k',
    subject: 'mark_id',
    at: 'marked_at',
    context: markKeyContext,
  },
  {
    what: 'the key of a reason of a hold',
    from: 'legal_hold_reasons k',
    subject: 'reason_id',
    context: holdReasonKeyContext,
  },
  {
    what: 'the secret of a webhook',
    from: 'alert_webhooks k',
    subject: 'webhook_reference',
    context: webhookSecretContext,
  },
  {
    what: 'the key of the secrets of a transfer config',
    from: 'transfer_configs k',
    subject: 'transfer_config_reference',
    context: transferConfigContext,
  },
  {
    what: 'the key of positions',
    from: `gps_keys ${WITH_DEVICE}`,
    subject: `d.device_reference || ' day ' || k.day`,
    reference: `d.device_reference || '/' || k.day`,
    at: 'k.created_at',
    context(client, reference) {
      const end = reference.lastIndexOf('/')
      return gpsKeyContext(client, reference.slice(0, end), Number(reference.slice(end + 1)))
    },
  },
  {
    what: 'the key of reports',
    from: `report_keys ${WITH_DEVICE}`,
    subject: `'report key ' || k.report_key_id`,
    reference: 'd.device_reference',
    at: 'k.made_at',
    context: reportKeyContext,
  },
  {
    what: 'the key of its index of words',
    from: 'content_indexes k join clients c using (client_id)',
    subject: 'c.client',
    context: wordKeyContext,
  },
  {
    what: 'the account key',
    from: '(select client_id, client, account_key as wrapped_key from clients) k',
    subject: 'k.client',
    context: accountKeyContext,
  },
]

async function verifyWrappedKeys(
  scope: Scope,
  client: Client,
  { what, from, subject, reference = subject, at = '$2', context }: WrappedKeys,
): Promise<void> {
  const head = `substring(k.wrapped_key for ${HEAD})`
  const keys = await scope.session.rows<{ subject: string; reference: string; wrapped_key: Buffer }>(
    `select distinct on (${head}) ${subject} as subject, ${reference} as reference, k.wrapped_key from ${from}
     where k.client_id = $1 and k.wrapped_key is not null and ($2::bigint is null or ${at} >= $2) order by ${head}`,
    [client.client_id, scope.since],
  )
  for (const each of keys)
    await tryKey(scope, client, each.subject, what, () =>
      scope.ctx.keys.unwrap(each.wrapped_key, context(client.client, each.reference)),
    )
}

async function tryKey(
  { findings }: Scope,
  { client }: Client,
  subject: string,
  what: string,
  open: () => Promise<Uint8Array>,
): Promise<void> {
  try {
    ;(await open()).fill(0)
  } catch (error) {
    findings.add(faultOfKey(error), client, [{ subject, detail: what }])
  }
}

/** The finding for a key that did not open. Throws when the key provider fails. */
export function faultOfKey(error: unknown): Check {
  if (error instanceof KeyUnknown) return 'key_lost'
  if (error instanceof CiphertextRefused) return 'key_refused'
  throw error
}
