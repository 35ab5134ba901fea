import type { RetentionBlock } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Reasons that block a due deletion. */
export const RETENTION_BLOCK_WORDS: Words<RetentionBlock> = {
  under_way: msg`being processed`,
  not_written_off: msg`data not received yet`,
  basis_missing: msg`retention period not started`,
  receipts_missing: msg`receipt not confirmed by an app`,
  transfers_missing: msg`not transferred yet`,
  sign_off_missing: msg`awaiting migration sign-off`,
  held: msg`legal hold`,
}
