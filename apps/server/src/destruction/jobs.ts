import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { issueCertificates } from './certificates/issue.ts'
import { finishDestructions } from './finish.ts'
import { replayLedger } from './replay.ts'

/** Finishes what destructions left to do after their commit, and certifies what is gone. A client that fails does not keep the others waiting. */
export const finishDestruction = jobKind({
  name: 'destruction.finish',
  input: z.object({}),
  every: 60,
  async run(house, _input, signal) {
    const failures: unknown[] = []
    await replayLedger(house).catch((error: unknown) => failures.push(error))
    for (const client of await listClients(house.db)) {
      signal.throwIfAborted()
      try {
        await finishDestructions(house, client, signal)
        await issueCertificates(house, client, signal)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'Destructions of some clients are not finished.')
  },
})
