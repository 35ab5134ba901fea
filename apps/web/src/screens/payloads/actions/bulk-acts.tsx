import {
  BATCH_LIMIT,
  type Mark,
  MARKS,
  type MarkStatus,
  type RECEIPT_STATUSES,
  type RestoreStatus,
} from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { sentWhenReachable } from '../../../api/connection.ts'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { useMay } from '../../../api/use-profile.ts'
import type { BulkProps as Bulk } from '../../../components/lists/list-definition.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { CopyButton, Reference } from '../../../ui/reference.tsx'
import { totalText } from '../../../ui/text.ts'
import { visible } from '../../../ui/visible.ts'
import HoldSetButton from '../../legal-holds/hold-set-button.tsx'
import { getRow } from '../queries.ts'
import { RecordingLink } from '../recording-link.tsx'
import { recordingTitle } from '../recording-name.ts'
import { REFUSALS } from '../refusals.ts'
import { AfterRestoring } from './after-restoring.tsx'
import { BulkData } from './bulk-data.tsx'
import { markMany, type MarkOutcome } from './marking.ts'
import { MARK_STYLES } from './marks.ts'

type Status = RestoreStatus | (typeof RECEIPT_STATUSES)[number] | MarkStatus

const REFUSED: Readonly<Record<Exclude<Status, 'Ok'>, MessageDescriptor>> = {
  NotDeleted: msg`It is not deleted.`,
  Destroyed: msg`It is permanently destroyed.`,
  NoMatchingRecord: msg`Recording not found, or it has no data.`,
  NotPermitted: msg`Your roles do not allow it.`,
  GroupNotAuthorised: msg`Your roles do not allow its group.`,
  TypeNotAuthorised: msg`Your roles do not allow this type.`,
  OwnRecording: msg`It is your own recording.`,
  TooLittleHeard: msg`You have not heard enough of it.`,
}

/** Actions on selected recordings; some act on all that match the filters. */
export default function BulkActs({ keys, matching, onDone }: Bulk) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const { states } = useSearch({ strict: false }) as { states?: readonly string[] }
  const [outcomes, setOutcomes] = useState<readonly ActOutcome[]>()
  const why = (status: Exclude<Status, 'Ok'>) => i18n._(REFUSED[status])
  const notify = (result: readonly ActOutcome[], done: string | undefined) => {
    if (result.some((each) => 'refusal' in each)) return setOutcomes(result)
    if (done !== undefined) noticeDone(done)
    onDone()
  }
  return (
    <>
      {!matching && may('payloads:restore') && states?.includes('Deleted') && (
        <BulkRestore
          keys={keys}
          onDone={(rows) => notify(getOutcomes(rows, why), t`The recordings are restored`)}
        />
      )}
      {/* The notice of a mark offers to undo it. */}
      {may('payloads.marks:create') && (
        <BulkMarks
          keys={keys}
          matching={matching}
          onDone={(rows) => notify(getOutcomes(rows, why), undefined)}
        />
      )}
      <HoldSetButton rows="recordings" getUsers={getUsers} keys={keys} matching={matching} onDone={onDone} />
      {!matching && may('receipts:confirm') && (
        <ReceiptButton keys={keys} onDone={(rows) => notify(getOutcomes(rows, why), t`Receipts confirmed`)} />
      )}
      <BulkData
        keys={keys}
        matching={matching}
        onDone={(rows) =>
          notify(
            getOutcomes(rows, (status) => i18n._(REFUSALS[status])),
            t`Download started`,
          )
        }
      />
      {outcomes && (
        <ActOutcomes
          title={t`Some items failed`}
          outcomes={outcomes}
          onClose={() => {
            setOutcomes(undefined)
            onDone(
              outcomes.flatMap(({ payload_reference, refusal }) =>
                refusal === undefined ? [] : [payload_reference],
              ),
            )
          }}
        />
      )}
    </>
  )
}

/** Names of the device users of selected recordings, by the loaded lists. */
function getUsers(keys: readonly string[]): string[] {
  const names = new Map<string, string>()
  for (const key of keys) {
    const { device_user_reference: user, person_name } = getRow(key) ?? {}
    if (user) names.set(user, visible(person_name ?? user))
  }
  return [...names.values()].toSorted()
}

interface BulkProps<Row> {
  keys: readonly string[]
  onDone: (rows: readonly Row[]) => void
}

function BulkRestore({ keys, onDone }: BulkProps<Row<RestoreStatus>>) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="xs" leftSection={<Icon name="refresh" size={15} />} onClick={() => setAsking(true)}>
        <Trans>Restore</Trans>
      </Button>
      {isAsking && (
        <RestoreDialog
          keys={keys}
          onClose={() => setAsking(false)}
          onDone={(rows) => {
            setAsking(false)
            onDone(rows)
          }}
        />
      )}
    </>
  )
}

interface Row<S extends string> extends Pick<MarkOutcome, 'seen'> {
  payload_reference: string
  status: S | 'Ok'
}

const getOutcomes = <S extends string>(
  rows: readonly Row<S>[],
  getRefusal: (status: Exclude<S, 'Ok'>) => string,
): readonly ActOutcome[] =>
  rows.map(({ payload_reference, status, seen }) => ({
    payload_reference,
    seen,
    ...(status !== 'Ok' && { refusal: getRefusal(status as Exclude<S, 'Ok'>) }),
  }))

/** Marks the selected recordings, as the keys of the list do; asks before it marks all that match. */
function BulkMarks({ keys, matching, onDone }: BulkProps<MarkOutcome> & Pick<Bulk, 'matching'>) {
  const { i18n } = useLingui()
  const [asked, setAsked] = useState<Mark>()
  const marking = useMutation({
    ...sentWhenReachable((mark: Mark) =>
      markMany(matching ? { query: matching.getQuery(), words: matching.words } : { keys }, mark),
    ),
    onSuccess: onDone,
  })
  // Each escalation raises an alert.
  const marks = matching ? MARKS.filter((mark) => mark !== 'escalated') : MARKS
  const total = totalText(matching?.total ?? { total: keys.length }, (count) => i18n.number(count))
  return (
    <>
      {marks.map((mark) => (
        <Button
          key={mark}
          size="xs"
          aria-keyshortcuts={MARK_STYLES[mark].key}
          variant="default"
          leftSection={<Icon name={MARK_STYLES[mark].icon} size={15} />}
          loading={marking.isPending && marking.variables === mark}
          onClick={() => (matching ? setAsked(mark) : marking.mutate(mark))}
        >
          {i18n._(MARK_STYLES[mark].act)}
        </Button>
      ))}
      {asked && (
        <Confirm
          title={i18n._(MARK_STYLES[asked].act)}
          confirmLabel={i18n._(MARK_STYLES[asked].act)}
          onClose={() => setAsked(undefined)}
          onConfirm={() => marking.mutateAsync(asked).then(() => setAsked(undefined))}
        >
          <Trans>Marks all {total} matching recordings. You can undo it.</Trans>
        </Confirm>
      )}
    </>
  )
}

function ReceiptButton({ keys, onDone }: BulkProps<Row<(typeof RECEIPT_STATUSES)[number]>>) {
  const confirming = useMutation({
    ...sentWhenReachable(() => reviewApi.confirmReceipts({ body: { payload_references: [...keys] } })),
    onSuccess: ({ receipts }) => onDone(receipts),
  })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="check" size={15} />}
      loading={confirming.isPending}
      onClick={() => confirming.mutate()}
    >
      <Trans>Confirm receipt</Trans>
    </Button>
  )
}

function RestoreDialog({ keys, onClose, onDone }: BulkProps<Row<RestoreStatus>> & { onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Restore the selected recordings?`}
      confirmLabel={t`Restore`}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await reviewApi.restorePayloads({ body: { payload_references: [...keys] } })
        onDone(data)
      }}
    >
      <Plural
        value={keys.length}
        one="# recording returns to the lists and can be played again."
        other="# recordings return to the lists and can be played again."
      />{' '}
      <AfterRestoring />
    </Confirm>
  )
}

interface ActOutcome extends Pick<MarkOutcome, 'seen'> {
  payload_reference: string
  /** Absent: success. */
  refusal?: string
}

/** Parties and time; its reference alone where neither the outcome nor the list has them. */
function RefusedRecording({ payload_reference, seen = getRow(payload_reference) }: ActOutcome) {
  const { i18n } = useLingui()
  return !seen ? (
    <Reference value={payload_reference} />
  ) : (
    <Group gap={4} wrap="nowrap">
      <RecordingLink recording={{ payload_reference, seen }} name={recordingTitle(seen, i18n)} />
      <CopyButton value={payload_reference} />
    </Group>
  )
}

/** Recordings that an action failed for, and why. */
function ActOutcomes(props: {
  title: string
  outcomes: readonly ActOutcome[]
  onClose: () => void
  children?: ReactNode
}) {
  const { t } = useLingui()
  const refused = props.outcomes.filter(({ refusal }) => refusal !== undefined)
  const shown = refused.slice(0, BATCH_LIMIT)
  const first = shown.length
  const done = props.outcomes.length - refused.length
  return (
    <Dialog onClose={props.onClose} title={props.title} size="lg">
      <Stack>
        <Text component="output" display="block">
          <Trans>
            {done} of {props.outcomes.length} done.
          </Trans>
        </Text>
        <DataTable
          caption={first < refused.length ? t`The first ${first} failures` : t`Incomplete`}
          rows={shown}
          getKey={({ payload_reference }) => payload_reference}
          columns={[
            { label: t`Recording`, cell: RefusedRecording },
            { label: t`Reason`, cell: ({ refusal }) => refusal },
          ]}
        />
        <Group justify="flex-end">
          <Button onClick={props.onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
