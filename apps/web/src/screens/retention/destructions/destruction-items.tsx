import {
  DESTRUCTION_ITEM_STATES,
  type DestructionDetail,
  type DestructionItem,
  type DestructionItemState,
  TAKEN_OUT_LIMIT,
} from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Checkbox, Group, NativeSelect, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getKey } from '../../../api/call-keys.ts'
import { retentionApi } from '../../../api/governance-api.ts'
import { noticeDone } from '../../../api/notices.ts'
import { useMay } from '../../../api/use-profile.ts'
import { ReasonDialog } from '../../../components/reason-dialog.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../../components/words/payload-words.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { LoadedRows } from '../../../ui/query-result.tsx'
import { Time } from '../../../ui/time.tsx'
import { visible } from '../../../ui/visible.ts'
import { DESTRUCTION_ITEM_WORDS } from './destruction-state.tsx'

const PAGE = 200

/** Recordings of a list, with checkboxes to exclude or restore them. */
export function DestructionItems({ list }: { list: DestructionDetail }) {
  const { destruction_reference } = list
  const [state, setState] = useState<DestructionItemState>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayChange = useMay()('account.destructions:update')
  const query = useItems(destruction_reference, state)
  const toggle = (reference: string) =>
    setChosen((before) => {
      const after = new Set(before)
      if (!after.delete(reference)) after.add(reference)
      return after
    })
  const mayMove = (item: DestructionItem) =>
    mayChange && (item.state === 'taken_out' || (item.state === 'listed' && list.state !== 'lapsed'))
  return (
    <Card component="section" aria-labelledby="destruction-items">
      <Group justify="space-between" mb="xs" align="flex-end">
        <Title order={2} size="h4" id="destruction-items">
          <Trans>Recordings in this list</Trans>
        </Title>
        <StateSelect
          state={state}
          onChange={(next) => {
            setState(next)
            setChosen(new Set())
          }}
        />
      </Group>
      <LoadedRows query={query}>
        {(rows) => {
          const movable = rows.filter(mayMove)
          const marked = movable.filter(({ payload_reference }) => chosen.has(payload_reference))
          return (
            <>
              {movable.length > 0 && (
                <Moves
                  list={list}
                  rows={movable}
                  marked={marked}
                  onChosen={setChosen}
                  onDone={() => setChosen(new Set())}
                />
              )}
              <ItemTable rows={rows} mayMove={mayMove} chosen={chosen} onToggle={toggle} />
            </>
          )
        }}
      </LoadedRows>
    </Card>
  )
}

function StateSelect(props: {
  state: DestructionItemState | undefined
  onChange: (state: DestructionItemState | undefined) => void
}) {
  const { t, i18n } = useLingui()
  return (
    <NativeSelect
      label={t`State`}
      value={props.state ?? ''}
      onChange={({ currentTarget: { value } }) =>
        props.onChange(DESTRUCTION_ITEM_STATES.find((each) => each === value))
      }
      data={[
        { value: '', label: t`All` },
        ...DESTRUCTION_ITEM_STATES.map((value) => ({
          value,
          label: i18n._(DESTRUCTION_ITEM_WORDS[value]),
        })),
      ]}
    />
  )
}

const useItems = (destruction_reference: string, state: DestructionItemState | undefined) =>
  useInfiniteQuery({
    queryKey: getKey('listDestructionItems', destruction_reference, state),
    queryFn: ({ pageParam: last_key, signal }) =>
      retentionApi.listDestructionItems(
        { params: { destruction_reference }, query: { limit: PAGE, state, ...(last_key && { last_key }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
  })

function ItemTable(props: {
  rows: readonly DestructionItem[]
  mayMove: (item: DestructionItem) => boolean
  chosen: ReadonlySet<string>
  onToggle: (reference: string) => void
}) {
  const { t, i18n } = useLingui()
  const { rows, mayMove, chosen, onToggle } = props
  return (
    <DataTable
      caption={t`Recordings, oldest first`}
      rows={rows}
      getKey={({ payload_reference }) => payload_reference}
      columns={[
        {
          label: t`Recording`,
          cell: (row) =>
            mayMove(row) ? (
              <Checkbox
                label={visible(row.payload_reference)}
                checked={chosen.has(row.payload_reference)}
                onChange={() => onToggle(row.payload_reference)}
              />
            ) : (
              visible(row.payload_reference)
            ),
        },
        { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
        { label: t`Recorded`, cell: (row) => <Time at={row.payload_time} /> },
        { label: t`Deleted`, cell: (row) => (row.deleted_at === null ? '–' : <Time at={row.deleted_at} />) },
        { label: t`State`, cell: (row) => <ItemState item={row} /> },
      ]}
    />
  )
}

function ItemState({ item: { at, by, reason, state } }: { item: DestructionItem }) {
  const { i18n } = useLingui()
  const isPersons = state === 'taken_out' || state === 'put_back'
  return (
    <>
      {i18n._(DESTRUCTION_ITEM_WORDS[state])}
      {isPersons && at !== null && by !== null && (
        <Text size="xs" c="dimmed" component="div">
          {visible(by)} · <Time at={at} />
          {reason !== null && `: ${visible(reason)}`}
        </Text>
      )}
    </>
  )
}

/** Actions on the selected recordings. */
function Moves(props: {
  list: DestructionDetail
  /** Selectable recordings. */
  rows: readonly DestructionItem[]
  marked: readonly DestructionItem[]
  onChosen: (chosen: ReadonlySet<string>) => void
  onDone: () => void
}) {
  const { t } = useLingui()
  const [act, setAct] = useState<'out' | 'back'>()
  const { list, marked, rows } = props
  const out = marked.filter(({ state }) => state === 'listed').slice(0, TAKEN_OUT_LIMIT)
  const back = marked.filter(({ state }) => state === 'taken_out').slice(0, TAKEN_OUT_LIMIT)
  const moved = act === 'out' ? out : back
  const isAll = marked.length === rows.length
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="xs"
        onClick={() =>
          props.onChosen(isAll ? new Set() : new Set(rows.map(({ payload_reference }) => payload_reference)))
        }
      >
        {isAll ? <Trans>Mark none</Trans> : <Trans>Mark all shown</Trans>}
      </Button>
      <Button size="xs" disabled={out.length === 0} onClick={() => setAct('out')}>
        <Trans>Remove</Trans> {out.length > 0 && `(${out.length})`}
      </Button>
      <Button variant="default" size="xs" disabled={back.length === 0} onClick={() => setAct('back')}>
        <Trans>Return</Trans> {back.length > 0 && `(${back.length})`}
      </Button>
      {act && (
        <ReasonDialog
          title={act === 'out' ? t`Remove recordings from the list?` : t`Return recordings?`}
          description={t`3 to 500 characters. Visible to readers of this list.`}
          name="reason"
          limits={{ min: 3, max: 500 }}
          submitLabel={act === 'out' ? t`Remove` : t`Return`}
          isDangerous={act === 'back'}
          save={(reason) =>
            retentionApi.changeDestruction({
              params: { destruction_reference: list.destruction_reference },
              query: {},
              body: {
                payload_references: moved.map(({ payload_reference }) => payload_reference),
                is_taken_out: act === 'out',
                reason,
              },
            })
          }
          onSaved={() => {
            noticeDone(act === 'out' ? t`Removed` : t`Return`)
            setAct(undefined)
            props.onDone()
          }}
          onClose={() => setAct(undefined)}
        >
          <MoveEffect count={moved.length} to={act} state={list.state} />
        </ReasonDialog>
      )}
    </Group>
  )
}

/** What happens to recordings that leave the list or come back to it. */
function MoveEffect(props: { count: number; to: 'out' | 'back'; state: DestructionDetail['state'] }) {
  const { count, to, state } = props
  return (
    <Text size="sm">
      {to === 'out' ? (
        <Plural
          value={count}
          one="# recording stays until it is returned to the list."
          other="# recordings stay until they are returned to the list."
        />
      ) : state === 'released' || state === 'lapsed' ? (
        <Plural
          value={count}
          one="# recording follows the policy again."
          other="# recordings follow the policy again."
        />
      ) : (
        <Plural
          value={count}
          one="# recording is destroyed with the list."
          other="# recordings are destroyed with the list."
        />
      )}
    </Text>
  )
}
