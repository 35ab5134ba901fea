import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { findKeysOfDeleted } from './deletion-store.ts'

/** Removes the private keys with which devices of a deleted client sealed what they recorded; sent with the deletion. */
export const removeDeviceKeys = jobKind({
  name: 'clients.remove_device_keys',
  input: z.object({ client_id: z.int() }),
  async run({ db, keys }, { client_id }) {
    await keys.removePhoneKeys(await db.read(client_id, findKeysOfDeleted))
  },
})
