import type { RetentionBlock } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Reasons that block a due deletion. */
export const RETENTION_BLOCK_WORDS: Words<RetentionBlock> = {
  under_way: msg`it is still being processed`,
  not_abandoned: msg`its data is still awaited`,
  basis_missing: msg`what its days count from has not happened yet`,
  receipts_missing: msg`an app has not confirmed it yet`,
  transfers_missing: msg`it has not been transferred yet`,
  sign_off_missing: msg`it waits for the sign-off of its migration`,
  held: msg`a legal hold keeps it`,
}
