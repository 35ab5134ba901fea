import { Plural, Trans } from '@lingui/react/macro'
import { Anchor, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { totalOf } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { phonesApi } from '../../api/phones-api.ts'
import { useMay } from '../../api/use-profile.ts'

/** Phones in use that have no key of their own. */
const UNPROVED = { proofs: ['none'], states: ['activated'] } as const

/** Whether phones must have a key of their own, and what that means for those that have none. */
export function KeysRequired({
  label,
  value,
  onChange,
  isReadOnly,
}: {
  label: string
  value: boolean
  onChange: (value: boolean) => void
  isReadOnly: boolean
}) {
  return (
    <Switch
      label={label}
      checked={value}
      disabled={isReadOnly}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
      description={
        <>
          <Text span display="block" inherit>
            <Trans>
              A new phone without a key of its own is refused. One that is known already goes on, so that
              nothing on it is lost; but what it brings waits until somebody confirms whose it is.
            </Trans>
          </Text>
          <Unproved />
        </>
      }
    />
  )
}

function Unproved() {
  const may = useMay()('devices:list')
  const { data } = useQuery({
    queryKey: keyOf('listDevices', 'total', 'unproved'),
    queryFn: ({ signal }) =>
      totalOf(
        phonesApi.listDevices(
          { query: { proofs: [...UNPROVED.proofs], states: [...UNPROVED.states], type: 'total' } },
          { signal },
        ),
      ),
    enabled: may,
  })
  if (!data) return null
  return (
    <Text span display="block" inherit mt={4}>
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => <Link {...props} to="/dashboard/devices" search={{ ...UNPROVED } as never} />}
      >
        <Plural
          value={data.total}
          _0="No phone in use is unproved"
          one="# phone in use is unproved"
          other="# phones in use are unproved"
        />
      </Anchor>
    </Text>
  )
}
