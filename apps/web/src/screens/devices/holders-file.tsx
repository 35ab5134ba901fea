import { HOLDER_CELL_LIMIT, HOLDER_COLUMNS, HOLDER_ROWS_LIMIT, type HoldersAnswer } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { FileDialog } from '../../components/files/file-dialog.tsx'
import { getReason } from '../../components/files/refusals.tsx'
import { HolderOutcomes } from './decide-dialog.tsx'

const SHAPE = {
  columns: HOLDER_COLUMNS,
  identifying: ['serial_number', 'device_reference'],
  limit: HOLDER_CELL_LIMIT,
} as const
const decision = 'confirm'
const isDecided = ({ outcome }: HoldersAnswer['rows'][number]) => outcome === 'decided'

/** Confirms devices from a file. */
export default function HoldersFile({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  return (
    <FileDialog
      name="holders"
      title={t`Confirm devices from a file`}
      explained={
        <Trans>
          CSV with column names in the first line. Each line has a serial number or reference and, optionally,
          the holder.
        </Trans>
      }
      shape={SHAPE}
      fields={[
        { field: 'serial_number', label: t`Serial number`, example: 'R5CT9021' },
        { field: 'device_reference', label: t`Reference`, example: '' },
        { field: 'device_user_reference', label: t`Holder`, example: 'AC-1042' },
      ]}
      getWord={({ outcome, ...why }) =>
        outcome === 'decided' ? t`Confirmed` : t`Refused: ${getReason(why, i18n)}`
      }
      atOnce={HOLDER_ROWS_LIMIT}
      review={(rows) => fleetApi.reviewDeviceHolders({ query: {}, body: { decision, rows } })}
      apply={(rows) => fleetApi.decideDeviceHolders({ query: {}, body: { decision, rows } })}
      does={isDecided}
      doIt={(count) => <Plural value={count} one="Confirm # device" other="Confirm # devices" />}
      onDone={(count) =>
        noticeDone(t`${plural(count, { one: '# device confirmed', other: '# devices confirmed' })}`)
      }
      onClose={onClose}
    >
      {({ lines, result, isDone }) => (
        <HolderOutcomes
          outcomes={lines.map(({ line, row }, i) => ({ line, row, result: result[i]! }))}
          isDone={isDone}
        />
      )}
    </FileDialog>
  )
}
