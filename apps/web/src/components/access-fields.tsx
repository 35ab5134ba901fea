import { useLingui } from '@lingui/react/macro'
import { Select, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { groupChoicesQuery, roleChoicesQuery } from '../api/queries.ts'
import { useMay, useProfile } from '../api/use-profile.ts'
import { readOnlyLook } from '../ui/form/read-only.ts'

interface AccessSelectProps {
  label: string
  description: string
  value: string | null
  onChange: (value: string | null) => void
  error: string | undefined
  isReadOnly: boolean
  /** Label of "none"; absent: a choice is required. */
  none?: string
}

/** Select of one visible group. */
export function GroupSelect(props: AccessSelectProps) {
  const { data = [] } = useQuery({ ...groupChoicesQuery, enabled: useMay()('groups:list') })
  return <AccessSelect {...props} names={data.map(({ group_reference }) => group_reference)} />
}

/** Select of one role; own roles only for users who may not list roles. */
export function RoleSelect(props: AccessSelectProps) {
  const { roles } = useProfile()
  const { data } = useQuery({ ...roleChoicesQuery, enabled: useMay()('roles:list') })
  return <AccessSelect {...props} names={data?.map(({ role_reference }) => role_reference) ?? roles} />
}

function AccessSelect({
  names,
  none,
  isReadOnly,
  ...field
}: AccessSelectProps & { names: readonly string[] }) {
  const { t } = useLingui()
  // The initial value stays selectable, also where the user may not list it.
  const [before] = useState(field.value)
  return (
    <Select
      {...field}
      {...readOnlyLook(isReadOnly)}
      placeholder={none}
      data={[...new Set(before === null ? names : [before, ...names])]}
      searchable
      clearable={none !== undefined}
      allowDeselect={none !== undefined}
      clearButtonProps={{ 'aria-label': t`Clear` }}
      nothingFoundMessage={t`Nothing found`}
    />
  )
}

/** Input for CIDR ranges. */
export function NetworksInput(props: {
  label: string
  description?: string
  value: readonly string[]
  onChange: (ranges: string[]) => void
  error: string | undefined
  isReadOnly?: boolean
}) {
  const { t } = useLingui()
  const { value, onChange, isReadOnly = false, ...rest } = props
  return (
    <TagsInput
      {...rest}
      {...readOnlyLook(isReadOnly)}
      placeholder={value.length > 0 ? undefined : isReadOnly ? t`From any network` : t`e.g. 10.0.0.0/8`}
      value={[...value]}
      onChange={onChange}
      splitChars={[',', ' ', ';']}
      maxTags={100}
      clearable={value.length > 1 && !isReadOnly}
      clearButtonProps={{ 'aria-label': t`Clear` }}
    />
  )
}
