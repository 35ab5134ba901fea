import { resolveSealedLog } from '../sealed-log/contradictions.ts'
import { accountAct } from './account-act.ts'

/** `custodia sealed-log resolve`: destruction goes on although the log contradicts a checkpoint (docs/evidence.md). */
export const sealedLog = accountAct(
  'sealed-log',
  'resolve',
  "Accepts that the sealed log of an account contradicts a checkpoint, for example after a restore. Retention destroys again. The account's log says that the operator did it, and why.",
  async (archive, act) => {
    if ((await resolveSealedLog(archive, act)) === 0)
      throw new Error('the sealed log contradicts no checkpoint')
    return 'retention destroys again; the log of the account says so.'
  },
)
