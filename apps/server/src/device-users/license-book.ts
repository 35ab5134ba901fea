import type { DeviceService, DeviceUserInput } from '@custodia/contract'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findPhonesOf } from './save-store.ts'
import type { UserToSave } from './saved.ts'

/** Free licences while users are saved one by one. */
export interface LicenseBook {
  /** Services without a free licence for a user (reading-the-spec: licences). Active services are never stopped. */
  overBy: (user: UserToSave) => DeviceService[]
  take: (user: UserToSave) => void
}

type Recorded = Pick<DeviceUserInput, 'services' | 'is_active'>
const servicesOf = (user: Recorded | undefined): readonly DeviceService[] =>
  user?.is_active ? user.services : []

/** Reads the free licences. Locks them until the transaction ends when a user gets a service. */
export async function licenseBookOf(tx: Tx, users: readonly UserToSave[]): Promise<LicenseBook> {
  if (!users.some((user) => addedServices(user).length > 0))
    return { overBy: () => [], take: () => undefined }
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx)
  const phones = await findPhonesOf(
    tx,
    users.flatMap(({ known }) => (known ? [known.device_user_id] : [])),
  )
  /** Active devices that record a service as soon as the user has it. */
  const phonesFor = ({ known }: UserToSave, service: DeviceService) =>
    (known ? (phones.get(known.device_user_id) ?? []) : []).filter(
      (unlicensed) => !unlicensed.includes(service),
    ).length
  return {
    overBy: (user) =>
      addedServices(user).filter(
        (service) => limits[service] === 0 || used[service] + phonesFor(user, service) > limits[service],
      ),
    take(user) {
      for (const service of addedServices(user)) used[service] += phonesFor(user, service)
      const has = servicesOf(user.body)
      for (const service of servicesOf(user.known))
        if (!has.includes(service)) used[service] -= phonesFor(user, service)
    },
  }
}

function addedServices({ body, known }: UserToSave): DeviceService[] {
  const had = servicesOf(known)
  return servicesOf(body).filter((service) => !had.includes(service))
}
