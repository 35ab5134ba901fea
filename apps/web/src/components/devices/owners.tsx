import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Reference } from '../../ui/reference.tsx'
import { Fact } from '../facts.tsx'
import { getColumns } from '../lists/columns.tsx'
import type { ListColumn } from '../lists/list-definition.ts'
import { GroupName } from '../names.tsx'
import { DeviceName, type NamedDevice, type NamedPerson, PersonName } from './links.tsx'

/** A record of a device, with the names that the viewer may see. */
interface OwnedRecord extends Partial<Pick<NamedDevice, 'device_name'> & Pick<NamedPerson, 'person_name'>> {
  device_reference: string | null
  device_user_reference?: string | null
}

/** Device user, device and group of a device's record. */
export function OwnerFacts({ row }: { row: OwnedRecord & { device_reference: string; group: string } }) {
  const { t } = useLingui()
  const { device_user_reference = null, person_name, device_reference, group } = row
  return (
    <>
      <Fact label={t`Device user`}>
        {device_user_reference !== null && <PersonName {...{ device_user_reference, person_name }} />}
      </Fact>
      <Fact label={t`Device`}>
        <DeviceName device_reference={device_reference} device_name={nameOfDevice(row)} />
      </Fact>
      <Fact label={t`Device reference`}>
        <Reference value={device_reference} length={22} />
      </Fact>
      <Fact label={t`Group`}>
        <GroupName group={group} />
      </Fact>
    </>
  )
}

/** Columns for device and device user by name; the CSV file also has the references. */
export function ownerColumns<Row extends OwnedRecord>(): Record<'device' | 'user', ListColumn<Row>> {
  const column = getColumns<Row>()
  const ofDevice = (row: Row) => nameOfDevice(row) ?? row.device_reference
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

/** The name of the device; without the person where the row has that name already. */
function nameOfDevice({ device_name, person_name }: OwnedRecord): string | undefined {
  const person = `${person_name} · `
  return device_name?.startsWith(person) ? device_name.slice(person.length) : device_name
}

const DeviceCell = ({ row }: { row: OwnedRecord }) =>
  row.device_reference !== null && (
    <DeviceName device_reference={row.device_reference} device_name={nameOfDevice(row)} isInRow />
  )

const PersonCell = ({ row: { device_user_reference = null, person_name } }: { row: OwnedRecord }) =>
  device_user_reference !== null && <PersonName {...{ device_user_reference, person_name }} isInRow />
