import {
  IMPORT_CELL_LIMIT,
  IMPORT_COLUMNS,
  IMPORT_ROWS_LIMIT,
  type ImportAnswer,
  type ImportColumn,
} from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { fleetApi } from '../../api/fleet-api.ts'
import { faultText } from '../../api/failure-text.ts'
import { loadProblems } from '../../api/problem-phrases.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { FileDialog, type FileOutcome } from '../../components/files/file-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EnrolManyButton } from '../enrolments/enrol-button.tsx'

// The call answers rejected rows one by one.
void loadProblems()

/** Maximum rejected lines shown; others are counted. */
const SHOWN = 100

const SHAPE = {
  columns: IMPORT_COLUMNS,
  identifying: ['device_user_reference'],
  limit: IMPORT_CELL_LIMIT,
} as const

type Result = ImportAnswer['rows'][number]
const isImported = ({ outcome }: Result) => outcome === 'created' || outcome === 'updated'
type Call = typeof fleetApi.importDeviceUsers
type Rows = Parameters<Call>[0]['body']['rows']

/** Imports device users from a CSV file. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const may = useMay()
  return (
    <FileDialog
      title={t`Import device users`}
      explained={
        <Trans>
          CSV with column names in the first line. Missing columns change nothing. Separate services with
          semicolons.
        </Trans>
      }
      shape={SHAPE}
      atOnce={IMPORT_ROWS_LIMIT}
      review={(rows) => fleetApi.reviewDeviceUserImport({ query: {}, body: { rows: rows as Rows } })}
      apply={(rows) => fleetApi.importDeviceUsers({ query: {}, body: { rows: rows as Rows } })}
      does={isImported}
      doIt={(count) => <Plural value={count} one="Import # line" other="Import # lines" />}
      onDone={(count) =>
        noticeDone(t`${plural(count, { one: '# device user imported', other: '# device users imported' })}`)
      }
      next={({ lines, result }) => {
        const created = lines.flatMap(({ row }, i) =>
          result[i]?.outcome === 'created' ? (row.device_user_reference ?? []) : [],
        )
        const isOffered = created.length > 0 && may('users.enrolments:create')
        return isOffered ? <EnrolManyButton keys={created} onDone={onClose} /> : null
      }}
      onClose={onClose}
    >
      {(outcome) => <Outcome {...outcome} />}
    </FileDialog>
  )
}

/** Preview or result of the import, with the reasons of rejected lines. */
function Outcome({ lines, result }: FileOutcome<ImportColumn, Result>) {
  const { t, i18n } = useLingui()
  const count = (outcome: Result['outcome']) => result.filter((each) => each.outcome === outcome).length
  const refused = result.flatMap((each, i) => (each.outcome === 'refused' ? [{ ...each, of: lines[i] }] : []))
  return (
    <>
      <Text fw={600} aria-live="polite">
        <Plural value={count('created')} one="# new" other="# new" />
        {' · '}
        <Plural value={count('updated')} one="# changed" other="# changed" />
        {' · '}
        <Plural value={count('unchanged')} one="# unchanged" other="# unchanged" />
        {' · '}
        <Plural value={refused.length} one="# refused" other="# refused" />
      </Text>
      {refused.length > 0 && (
        <DataTable
          caption={t`Refused lines`}
          rows={refused.slice(0, SHOWN)}
          keyOf={({ of }) => String(of?.line)}
          columns={[
            { id: 'line', label: t`Line`, cell: ({ of }) => of?.line },
            { id: 'who', label: t`Reference`, cell: ({ of }) => of?.row.device_user_reference },
            {
              id: 'why',
              label: t`Why`,
              cell: ({ faults, problem }) =>
                problem
                  ? faultText({ code: problem, path: '', message: problem }, i18n)
                  : faults.map((each) => `${each.path}: ${faultText(each, i18n)}`).join('\n'),
            },
          ]}
        />
      )}
      {refused.length > SHOWN && (
        <Text size="sm" c="dimmed">
          <Plural value={refused.length - SHOWN} one="# more refused line" other="# more refused lines" />
        </Text>
      )}
    </>
  )
}
