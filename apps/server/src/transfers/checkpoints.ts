import { createHash } from 'node:crypto'
import { transferRoot } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import type { Recipient } from '../sealed-log/share.ts'
import { findConfig, listConfigs, type StoredConfig } from './store.ts'
import { openTarget, rootOf } from './target.ts'

/** Milliseconds to put a checkpoint on a target. */
const PATIENCE_MS = 60_000
/** Transfers of a client that get checkpoints. */
const MOST = 100

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'egress'>

/** The targets of a client's active transfers: each gets checkpoints as small files in the folder `checkpoints`. */
export const checkpointTargets = (
  ctx: Parts,
  { client_id, client }: { client_id: number; client: string },
): Promise<Recipient[]> =>
  ctx.db.read(client_id, async (q) => {
    const configs = await listConfigs(q, { search: '', after: '', limit: MOST })
    const recipients: Recipient[] = []
    for (const { transfer_config_reference: reference, is_active, transfer_type } of configs) {
      if (!is_active || transfer_type !== 'Payload') continue
      const stored = await findConfig(q, reference)
      if (stored) recipients.push(recipientOf(ctx, client, stored))
    }
    return recipients
  })

const recipientOf = (ctx: Parts, client: string, { config, sealed }: StoredConfig): Recipient => ({
  holder: `transfer ${config.transfer_config_reference}`,
  async hold({ checkpoint, size }, signal) {
    const content = Buffer.from(checkpoint)
    const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    const target = { params: config.params, kept: sealed }
    const session = await openTarget(ctx, client, config.transfer_config_reference, target, late)
    try {
      await session.deliver({
        path: `${transferRoot(rootOf(config.params))}checkpoints/${client}-${size}.txt`,
        async *open() {
          yield content
        },
        sha256: createHash('sha256').update(content).digest('hex'),
        size: content.length,
        format: { type: 'Uncompressed' },
      })
    } finally {
      await session.close()
    }
    return {}
  },
})
