import { ApiProblem } from '@custodia/client'
import { useLingui } from '@lingui/react/macro'
import { Drawer } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { recordQuery } from '../../api/queries.ts'
import { QueryResult } from '../query-result.tsx'
import { EmptyState } from '../states.tsx'
import { useReturnFocus } from '../use-focus.ts'

type RecordQuery<T> = ReturnType<typeof recordQuery<T>>

/** Props of a record's form: the record (absent for a new one), close and refetch. */
export interface RecordFormProps<T> {
  record?: T
  onClose: () => void
  onReload?: () => void
  /** Reads the record once more, apart from the read that the form edits. */
  readNewest?: () => Promise<T>
}

/** Drawer of a list's records: an empty form, or the record `recordKey` with skeleton and error. */
export const recordDrawer = <T extends { version: string }>(
  getQuery: RecordQuery<T>,
  Form: ComponentType<RecordFormProps<T>>,
  size = 480,
) =>
  function RecordDrawer({ recordKey, onClose }: { recordKey?: string; onClose: () => void }) {
    if (recordKey === undefined) return <Form onClose={onClose} />
    return <ExistingRecord {...{ recordKey, getQuery, Form, size, onClose }} />
  }

function ExistingRecord<T extends { version: string }>(props: {
  recordKey: string
  getQuery: RecordQuery<T>
  Form: ComponentType<RecordFormProps<T>>
  size: number
  onClose: () => void
}) {
  useReturnFocus()
  const { t } = useLingui()
  const { recordKey, Form, onClose } = props
  const record = useQuery(props.getQuery(recordKey))
  const { data, error, refetch } = record
  const client = useQueryClient()
  if (data !== undefined) {
    return (
      <Form
        key={data.version}
        record={data}
        onClose={onClose}
        onReload={() => void refetch()}
        readNewest={() => client.fetchQuery({ ...props.getQuery(recordKey, 'newest'), staleTime: 0 })}
      />
    )
  }
  return (
    <Drawer.Root opened onClose={onClose} position="right" size={props.size}>
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header component="div">
          <Drawer.Title>{recordKey}</Drawer.Title>
          <Drawer.CloseButton aria-label={t`Close`} />
        </Drawer.Header>
        <Drawer.Body>
          {error instanceof ApiProblem && error.status === 404 ? (
            <EmptyState title={t`It does not exist, or your roles and groups do not allow it.`} />
          ) : (
            <QueryResult query={record}>{() => null}</QueryResult>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
