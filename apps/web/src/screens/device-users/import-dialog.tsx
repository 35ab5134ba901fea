import {
  IMPORT_CELL_LIMIT,
  IMPORT_COLUMNS,
  IMPORT_ROWS_LIMIT,
  type ImportAnswer,
  type ImportColumn,
} from '@custodia/contract'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { FileDialog, type FileOutcome } from '../../components/files/file-dialog.tsx'
import { getReason, Refusals } from '../../components/files/refusals.tsx'
import { EnrolManyButton } from '../enrolments/enrol-button.tsx'

const SHAPE = {
  columns: IMPORT_COLUMNS,
  identifying: ['device_user_reference'],
  limit: IMPORT_CELL_LIMIT,
  /** Of HR files, in English and Portuguese. */
  synonyms: {
    device_user_reference: [
      'reference',
      'staff_no',
      'staff_number',
      'employee_id',
      'employee_number',
      'matricula',
    ],
    group: ['department', 'team', 'desk', 'grupo', 'departamento', 'setor', 'equipe'],
    services: ['servicos'],
    email: [
      'e_mail',
      'email_address',
      'e_mail_address',
      'work_email',
      'endereco_de_e_mail',
      'e_mail_corporativo',
      'email_corporativo',
    ],
    first_name: ['given_name', 'forename', 'nome', 'primeiro_nome'],
    surname: ['last_name', 'family_name', 'sobrenome'],
  },
} as const

const OUTCOMES = {
  created: msg({ context: 'imported line', message: 'New' }),
  updated: msg({ context: 'imported line', message: 'Changed' }),
  unchanged: msg({ context: 'imported line', message: 'Unchanged' }),
} as const

type Result = ImportAnswer['rows'][number]
const isImported = ({ outcome }: Result) => outcome === 'created' || outcome === 'updated'
type Call = typeof fleetApi.importDeviceUsers
type Rows = Parameters<Call>[0]['body']['rows']

/** Imports device users from a CSV file. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  return (
    <FileDialog
      name="device-users"
      title={t`Import device users`}
      explained={
        <Trans>
          CSV with column names in the first line. Missing columns change nothing; without services, new
          people get all. Separate services with semicolons.
        </Trans>
      }
      shape={SHAPE}
      fields={[
        { field: 'device_user_reference', label: t`Reference`, example: 'AC-1042' },
        { field: 'group', label: t`Group`, example: 'North' },
        { field: 'services', label: t`Services`, example: 'calls|sms' },
        { field: 'expected_device_count', label: t`Expected devices`, example: '1' },
        { field: 'email', label: t`Email`, example: 'ada.byron@example.com' },
        { field: 'first_name', label: t`First name`, example: 'Ada' },
        { field: 'surname', label: t`Surname`, example: 'Byron' },
        { field: 'is_active', label: t({ context: 'person', message: 'Onboarded' }), example: 'true' },
      ]}
      getWord={({ outcome, ...why }) =>
        outcome === 'refused' ? t`Refused: ${getReason(why, i18n)}` : i18n._(OUTCOMES[outcome])
      }
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
  const { t } = useLingui()
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
        <Refusals
          caption={t`Refused lines`}
          who={t`Lines`}
          refusals={refused.map(({ of, problem, faults }) => ({ name: String(of?.line), problem, faults }))}
        />
      )}
    </>
  )
}
