import { msg } from '@lingui/core/macro'
import { columnsOf } from '../lists/columns.tsx'
import type { ListColumn } from '../lists/list-definition.ts'
import { DeviceName, type Owned, PersonName } from './links.tsx'

/** Columns for device and device user by name; the CSV file also has the references. */
export function ownerColumns<Row extends Owned>(): Record<'device' | 'user', ListColumn<Row>> {
  const column = columnsOf<Row>()
  const ofDevice = ({ device_name, device_reference }: Row) => device_name ?? device_reference
  const ofUser = ({ person_name, device_user_reference = null }: Row) => person_name ?? device_user_reference
  return {
    device: {
      ...column.drawn('device', msg`Device`, DeviceCell, ofDevice, { width: 150, grow: 1 }),
      hasValue: (row) => ofDevice(row) !== null,
      csv: [
        { label: msg`Device`, value: ofDevice },
        { label: msg`Device reference`, value: (row) => row.device_reference },
      ],
    },
    user: {
      ...column.drawn('user', msg`Device user`, PersonCell, ofUser, { width: 130, grow: 0.6 }),
      hasValue: (row) => ofUser(row) !== null,
      csv: [
        { label: msg`Device user`, value: ofUser },
        { label: msg`Device user reference`, value: (row) => row.device_user_reference ?? null },
      ],
    },
  }
}

const DeviceCell = ({ row: { device_reference, device_name } }: { row: Owned }) =>
  device_reference !== null && <DeviceName {...{ device_reference, device_name }} isInRow />

const PersonCell = ({ row: { device_user_reference = null, person_name } }: { row: Owned }) =>
  device_user_reference !== null && <PersonName {...{ device_user_reference, person_name }} isInRow />
