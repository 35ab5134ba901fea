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
import { type KeptPhoneDek, openPhoneDek } from '../ports/keys/phone-dek.ts'
import { CiphertextRefused, KeyUnknown } from '../ports/keys/port.ts'
import type { Check, Client, Scope } from './checks.ts'
import { Worker } from 'node:worker_threads'
import type { DecryptorSettings, OpenResult, OpenTask } from './open-protocol.ts'

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
const headOf = (column: string) =>
  `substring(${column} for case when substring(${column} for 1) = '\\x02' then 1 else ${HEAD} end)`

/**
 * Whether the key provider works: it opens one wrapped key of each kind and version, and the client's account key.
 * The deep check opens all.
 */
export async function verifyKeys(scope: Scope, client: Client): Promise<void> {
  await verifyPayloadKeys(scope, client)
  await verifyReviewKeys(scope, client)
  await verifyOutsideSecrets(scope, client)
  await verifyReportKeys(scope, client)
  await verifyAccountKeys(scope, client)
}

/** The data keys of payloads and the keys of their devices. */
async function verifyPayloadKeys(scope: Scope, client: Client): Promise<void> {
  const { session, ctx, since } = scope
  const { client_id } = client
  const wrapped = await session.query<{ payload_reference: string; wrapped_dek: Buffer; count: number }>(
    `select p.payload_reference, o.wrapped_dek, x.count from (
       select ${headOf('wrapped_dek')} as head, count(*)::int as count, min(payload_id) as payload_id from payload_objects
       where client_id = $1 and wrapped_dek is not null group by 1
     ) x join payloads p using (payload_id)
     join lateral (select wrapped_dek from payload_objects o where o.client_id = $1 and o.payload_id = x.payload_id
       and ${headOf('o.wrapped_dek')} = x.head limit 1) o on true
     where ($2::bigint is null or p.updated_at >= $2)`,
    [client_id, since],
  )
  for (const { payload_reference, wrapped_dek, count } of wrapped)
    await trying(
      scope,
      client,
      `${payload_reference} and ${count - 1} more`,
      'a wrapped data key',
      async () => {
        ;(await ctx.keys.unwrap(wrapped_dek, dekContext(client.client, payload_reference))).fill(0)
      },
    )
  const announced = await session.query<KeptPhoneDek & { payload_reference: string; key_id: string }>(
    `select distinct on (e.key_id) p.payload_reference, e.key_id, e.encrypted_dek, e.dek_key
     from client_keys k join payload_envelopes e on e.client_id = k.client_id and e.key_id = k.key_id join payloads p using (payload_id)
     where k.client_id = $1 and p.state in (${S.Processed}, ${S.NotRecorded}) order by e.key_id`,
    [client_id],
  )
  for (const kept of announced)
    await trying(scope, client, kept.payload_reference, `the phones' key ${kept.key_id}`, async () => {
      ;(await openPhoneDek(ctx.keys, { ...kept, client: client.client })).fill(0)
    })
}

/** The keys of comments, marks and reasons of holds. */
async function verifyReviewKeys(scope: Scope, client: Client): Promise<void> {
  const { session, ctx, since } = scope
  const { client_id } = client
  const comments = await session.query<{ comment_id: string; wrapped_key: Buffer }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) comment_id, wrapped_key from payload_comments
     where client_id = $1 and wrapped_key is not null and ($2::bigint is null or raised_at >= $2) order by substring(wrapped_key for ${HEAD})`,
    [client_id, since],
  )
  for (const { comment_id, wrapped_key } of comments)
    await trying(scope, client, comment_id, 'the key of a comment', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, commentKeyContext(client.client, comment_id))).fill(0)
    })
  const marks = await session.query<{ mark_id: string; wrapped_key: Buffer }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) mark_id, wrapped_key from payload_marks
     where client_id = $1 and wrapped_key is not null and ($2::bigint is null or marked_at >= $2) order by substring(wrapped_key for ${HEAD})`,
    [client_id, since],
  )
  for (const { mark_id, wrapped_key } of marks)
    await trying(scope, client, mark_id, 'the key of a mark', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, markKeyContext(client.client, mark_id))).fill(0)
    })
  const reasons = await session.query<{ reason_id: string; wrapped_key: Buffer }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) reason_id, wrapped_key from legal_hold_reasons
     where client_id = $1 and $2::bigint is not distinct from $2 order by substring(wrapped_key for ${HEAD})`,
    [client_id, since],
  )
  for (const { reason_id, wrapped_key } of reasons)
    await trying(scope, client, reason_id, 'the key of a reason of a hold', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, holdReasonKeyContext(client.client, reason_id))).fill(0)
    })
}

/** The secrets of webhooks and transfer configs. */
async function verifyOutsideSecrets(scope: Scope, client: Client): Promise<void> {
  const { session, ctx } = scope
  const { client_id } = client
  const webhooks = await session.query<{ webhook_reference: string; wrapped_key: Buffer }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) webhook_reference, wrapped_key from alert_webhooks
     where client_id = $1 order by substring(wrapped_key for ${HEAD})`,
    [client_id],
  )
  for (const { webhook_reference, wrapped_key } of webhooks)
    await trying(scope, client, webhook_reference, 'the secret of a webhook', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, webhookSecretContext(client.client, webhook_reference))).fill(0)
    })
  const configs = await session.query<{ transfer_config_reference: string; wrapped_key: Buffer }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) transfer_config_reference, wrapped_key from transfer_configs
     where client_id = $1 and wrapped_key is not null order by substring(wrapped_key for ${HEAD})`,
    [client_id],
  )
  for (const { transfer_config_reference: reference, wrapped_key } of configs)
    await trying(scope, client, reference, 'the key of the secrets of a transfer config', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, transferConfigContext(client.client, reference))).fill(0)
    })
}

/** The keys of positions and reports of devices. */
async function verifyReportKeys(scope: Scope, client: Client): Promise<void> {
  const { session, ctx, since } = scope
  const { client_id } = client
  const ofPositions = await session.query<{ device_reference: string; day: number; wrapped_key: Buffer }>(
    `select distinct on (substring(k.wrapped_key for ${HEAD})) d.device_reference, k.day, k.wrapped_key
     from gps_keys k join devices d using (client_id, device_id)
     where k.client_id = $1 and k.wrapped_key is not null and ($2::bigint is null or k.created_at >= $2) order by substring(k.wrapped_key for ${HEAD})`,
    [client_id, since],
  )
  for (const { device_reference, day, wrapped_key } of ofPositions)
    await trying(scope, client, `${device_reference} day ${day}`, 'the key of positions', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, gpsKeyContext(client.client, device_reference, day))).fill(0)
    })
  const reports = await session.query<{
    report_key_id: number
    device_reference: string
    wrapped_key: Buffer
  }>(
    `select distinct on (substring(wrapped_key for ${HEAD})) k.report_key_id, d.device_reference, k.wrapped_key
     from report_keys k join devices d using (client_id, device_id)
     where k.client_id = $1 and ($2::bigint is null or k.made_at >= $2) order by substring(wrapped_key for ${HEAD})`,
    [client_id, since],
  )
  for (const { report_key_id, device_reference, wrapped_key } of reports)
    await trying(scope, client, `report key ${report_key_id}`, 'the key of reports', async () => {
      ;(await ctx.keys.unwrap(wrapped_key, reportKeyContext(client.client, device_reference))).fill(0)
    })
}

/** The keys of the index of words and of the account. */
async function verifyAccountKeys(scope: Scope, client: Client): Promise<void> {
  const { session, ctx } = scope
  const { client_id } = client
  const [words] = await session.query<{ wrapped_key: Buffer }>(
    'select wrapped_key from content_indexes where client_id = $1 and wrapped_key is not null',
    [client_id],
  )
  if (words)
    await trying(scope, client, client.client, 'the key of its index of words', async () => {
      ;(await ctx.keys.unwrap(words.wrapped_key, wordKeyContext(client.client))).fill(0)
    })
  const [account] = await session.query<{ account_key: Buffer }>(
    'select account_key from clients where client_id = $1',
    [client_id],
  )
  await trying(scope, client, client.client, 'the account key', async () => {
    ;(await ctx.keys.unwrap(account?.account_key ?? Buffer.alloc(0), accountKeyContext(client.client))).fill(
      0,
    )
  })
}

async function trying(
  { findings }: Scope,
  { client }: Client,
  subject: string,
  what: string,
  open: () => Promise<void>,
): Promise<void> {
  try {
    await open()
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
