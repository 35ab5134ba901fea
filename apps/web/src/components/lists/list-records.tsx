import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import type { LinkTarget, ListDefinition } from './list-definition.ts'
import type { ListSearch } from './list-search.ts'

/** Button for a new record, for permitted users. */
export function CreateButton(props: {
  label: MessageDescriptor
  action: string
  icon?: IconName
  address: (search: object) => LinkTarget
}) {
  const { _ } = useLingui()
  const search = useSearch({ strict: false })
  if (!useMay()(props.action)) return null
  return (
    <LinkButton
      leftSection={<Icon name={props.icon ?? 'plus'} size={16} />}
      {...props.address({ ...search, create: true })}
    >
      {_(props.label)}
    </LinkButton>
  )
}

/** Drawer of the record in the address, or of a new one. */
export function OpenRecord<Row, Query>(props: { list: ListDefinition<Row, Query>; search: ListSearch }) {
  const { list, search } = props
  const navigate = useNavigate()
  const Drawer = list.records?.Drawer
  if (Drawer === undefined) return null
  const close = () =>
    void navigate({ ...list.address({ ...search, edit: undefined, create: undefined }), resetScroll: false })
  return (
    <Suspense>
      {search.create === true ? (
        <Drawer onClose={close} />
      ) : (
        typeof search.edit === 'string' && (
          <Drawer key={search.edit} recordKey={search.edit} onClose={close} />
        )
      )}
    </Suspense>
  )
}
