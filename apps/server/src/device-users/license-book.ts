import type { DeviceService, DeviceUserInput } from '@custodia/contract'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findPhonesOf } from './save-store.ts'
import type { UserToSave } from './saved.ts'

/** What is left of the licences while people are saved one after another. */
export interface LicenseBook {
  /** Services that cannot be assigned to somebody (reading-the-spec: licences). Recording that has begun is never stopped by it. */
  overBy: (user: UserToSave) => DeviceService[]
  take: (user: UserToSave) => void
}

type Recorded = Pick<DeviceUserInput, 'services' | 'is_active'>
const servicesOf = (user: Recorded | undefined): readonly DeviceService[] =>
  user?.is_active ? user.services : []

/** As of now, and until the transaction ends where somebody gets a service: nobody else sets the limits meanwhile. */
export async function licenseBookOf(tx: Tx, users: readonly UserToSave[]): Promise<LicenseBook> {
  if (!users.some((user) => addedTo(user).length > 0)) return { overBy: () => [], take: () => undefined }
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx)
  const phones = await findPhonesOf(
    tx,
    users.flatMap(({ known }) => (known ? [known.device_user_id] : [])),
  )
  /** Their activated phones that record a service as soon as they have it. */
  const phonesFor = ({ known }: UserToSave, service: DeviceService) =>
    (known ? (phones.get(known.device_user_id) ?? []) : []).filter(
      (unlicensed) => !unlicensed.includes(service),
    ).length
  return {
    overBy: (user) =>
      addedTo(user).filter(
        (service) => limits[service] === 0 || used[service] + phonesFor(user, service) > limits[service],
      ),
    take(user) {
      for (const service of addedTo(user)) used[service] += phonesFor(user, service)
      const has = servicesOf(user.body)
      for (const service of servicesOf(user.known))
        if (!has.includes(service)) used[service] -= phonesFor(user, service)
    },
  }
}

function addedTo({ body, known }: UserToSave): DeviceService[] {
  const had = servicesOf(known)
  return servicesOf(body).filter((service) => !had.includes(service))
}
