import type { RECEIPT_STATUSES, RestoreStatus } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { noticeDone } from '../../../api/notices.ts'
import { reviewApi } from '../../../api/payload-api.ts'
import { useMay } from '../../../api/use-profile.ts'
import { Icon } from '../../../ui/icon.tsx'
import { REFUSALS } from '../refusals.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { Reference } from '../../../ui/reference.tsx'
import { AfterRestoring } from './after-restoring.tsx'
import { BulkData } from './bulk-data.tsx'

type Status = RestoreStatus | (typeof RECEIPT_STATUSES)[number]

const REFUSED: Readonly<Record<Exclude<Status, 'Ok'>, MessageDescriptor>> = {
  NotDeleted: msg`It is not deleted.`,
  Destroyed: msg`It is permanently destroyed.`,
  NoMatchingRecord: msg`Recording not found, or it has no data.`,
  GroupNotAuthorised: msg`Your roles do not allow its group.`,
  TypeNotAuthorised: msg`Your roles do not allow this type.`,
}

/** Actions on selected recordings. */
export default function BulkActs({ keys, onDone }: { keys: readonly string[]; onDone: () => void }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const { states } = useSearch({ strict: false }) as { states?: readonly string[] }
  const [isAsking, setAsking] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly ActOutcome[]>()
  const payload_references = [...keys]
  const why = (status: Exclude<Status, 'Ok'>) => i18n._(REFUSED[status])
  function notify<S extends string>(
    rows: readonly { payload_reference: string; status: S | 'Ok' }[],
    done: string,
    refusalOf: (status: S) => string,
  ) {
    const result = rows.map(({ payload_reference, status }) => ({
      payload_reference,
      ...(status !== 'Ok' && { refusal: refusalOf(status as S) }),
    }))
    if (result.some((each) => 'refusal' in each)) return setOutcomes(result)
    noticeDone(done)
    onDone()
  }
  const restoring = async () => {
    const { data } = await reviewApi.restorePayloads({ body: { payload_references } })
    setAsking(false)
    notify(data, t`The recordings are restored`, why)
  }
  const confirming = useMutation({
    mutationFn: () => reviewApi.confirmReceipts({ body: { payload_references } }),
    onSuccess: ({ receipts }) => notify(receipts, t`Receipts confirmed`, why),
  })
  return (
    <>
      {may('payloads:restore') && states?.includes('Deleted') && (
        <Button size="xs" leftSection={<Icon name="refresh" size={15} />} onClick={() => setAsking(true)}>
          <Trans>Restore</Trans>
        </Button>
      )}
      {may('receipts:confirm') && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="check" size={15} />}
          loading={confirming.isPending}
          onClick={() => confirming.mutate()}
        >
          <Trans>Confirm receipt</Trans>
        </Button>
      )}
      <BulkData
        keys={keys}
        onDone={(rows) => notify(rows, t`Download started`, (status) => i18n._(REFUSALS[status]))}
      />
      {isAsking && (
        <Confirm
          title={t`Restore the selected recordings?`}
          confirmLabel={t`Restore`}
          onClose={() => setAsking(false)}
          onConfirm={restoring}
        >
          <Plural
            value={keys.length}
            one="# recording returns to the lists and can be played again."
            other="# recordings return to the lists and can be played again."
          />{' '}
          <AfterRestoring />
        </Confirm>
      )}
      {outcomes && (
        <ActOutcomes
          title={t`Some items failed`}
          outcomes={outcomes}
          onClose={() => {
            setOutcomes(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}

interface ActOutcome {
  payload_reference: string
  /** Absent: success. */
  refusal?: string
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
  const done = props.outcomes.length - refused.length
  return (
    <Dialog onClose={props.onClose} title={props.title} size="lg">
      <Stack gap="md">
        <Text component="output" display="block">
          <Trans>
            {done} of {props.outcomes.length} done.
          </Trans>
        </Text>
        <DataTable
          caption={t`Incomplete`}
          rows={refused}
          keyOf={({ payload_reference }) => payload_reference}
          columns={[
            {
              id: 'reference',
              label: t`Reference`,
              cell: ({ payload_reference }) => <Reference value={payload_reference} />,
            },
            { id: 'why', label: t`Reason`, cell: ({ refusal }) => refusal },
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
