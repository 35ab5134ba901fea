import { SUPPORT_ACCESS_DAYS, SupportAccessRequest } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { getKey } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useClientName, useClientOptions } from '../../components/clients/clients.tsx'
import { roleDescription } from '../../components/words/role-words.ts'
import { faultIfEmpty, shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Time } from '../../ui/time.tsx'

/** Durations in seconds; a client may approve less. */
const DURATIONS = {
  hour: 3_600,
  hours: 4 * 3_600,
  day: 86_400,
  longest: SUPPORT_ACCESS_DAYS * 86_400,
} as const
type Duration = keyof typeof DURATIONS

interface RequestProps {
  /** Default client. */
  client: string | undefined
  onClose: () => void
  onSaved: () => void
}

/** Requests access to a client under one of its roles. */
export default function RequestDrawer(props: RequestProps) {
  const { t, i18n } = useLingui()
  const clients = useClientOptions()
  const form = useRequestForm(props)
  const { client, duration } = form.values
  const roles = useRoles(client)
  const role = roles.data?.find((each) => each.role_reference === form.values.role)
  return (
    <FormDrawer
      title={t`Request access`}
      form={form}
      submitLabel={<Trans>Send request</Trans>}
      onClose={props.onClose}
    >
      <Select
        label={t`Client`}
        required
        searchable
        data={clients}
        nothingFoundMessage={t`Nothing found`}
        {...form.field('client')}
        value={client === '' ? null : client}
        onChange={(next) => form.set({ client: next ?? '', role: '' })}
      />
      <Select
        label={t`Role`}
        required
        searchable
        disabled={client === ''}
        description={
          (role && roleDescription(role, i18n)) ?? t`Your permissions in the client are limited to this role.`
        }
        data={(roles.data ?? []).map(({ role_reference }) => role_reference).toSorted(supportFirst)}
        nothingFoundMessage={t`Nothing found`}
        {...form.field('role')}
        value={form.values.role === '' ? null : form.values.role}
        onChange={(next) => form.set({ role: next ?? '' })}
        error={form.errorAt('role') ?? (roles.error === null ? undefined : t`The roles could not be loaded.`)}
      />
      <Textarea
        label={t`Description`}
        description={t`The client reads this before deciding.`}
        required
        autosize
        minRows={4}
        maxLength={2000}
        {...form.field('request_description')}
      />
      <DurationField value={duration} onChange={(next) => form.set({ duration: next })} />
    </FormDrawer>
  )
}

function useRequestForm(props: RequestProps) {
  const { t } = useLingui()
  const clientName = useClientName()
  return useForm({
    initial: {
      client: props.client ?? '',
      role: '',
      request_description: '',
      duration: 'hour' as Duration,
    },
    labels: {
      client: t`Client`,
      role: t`Role`,
      request_description: t`Description`,
      requested_expiry: t`For how long`,
    },
    check: (values) => [
      ...faultIfEmpty('client', values.client),
      ...faultIfEmpty('role', values.role),
      ...shapeFaults(SupportAccessRequest, getBody(values)).filter(
        ({ path }) => path !== 'role' || values.role !== '',
      ),
    ],
    save: (values) =>
      internalApi.requestSupportAccess({ params: { client: values.client }, body: getBody(values) }),
    onSaved: ({ client }) => {
      const client_name = clientName(client)
      noticeDone(t`Access requested from ${client_name}`)
      props.onSaved()
    },
  })
}

function DurationField(props: { value: Duration; onChange: (duration: Duration) => void }) {
  const { t } = useLingui()
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        <Trans>For how long</Trans>
      </Text>
      <SegmentedControl
        fullWidth
        aria-label={t`For how long`}
        value={props.value}
        onChange={(next) => props.onChange(next as Duration)}
        data={[
          { value: 'hour', label: t`1 hour` },
          { value: 'hours', label: t`4 hours` },
          { value: 'day', label: t`1 day` },
          { value: 'longest', label: t`${SUPPORT_ACCESS_DAYS} days` },
        ]}
      />
      <Text size="xs" c="dimmed">
        <Trans>
          Until <Time at={getExpiry(props.value)} />, if sent now. The client may shorten it.
        </Trans>
      </Text>
    </Stack>
  )
}

const getExpiry = (duration: Duration): number => Math.floor(Date.now() / 1000) + DURATIONS[duration]

const getBody = (values: { role: string; request_description: string; duration: Duration }) => ({
  role: values.role,
  request_description: values.request_description.trim(),
  requested_expiry: getExpiry(values.duration),
})

/** Support roles come first. */
const supportFirst = (a: string, b: string): number =>
  Number(b.startsWith('Support ')) - Number(a.startsWith('Support ')) || a.localeCompare(b)

const useRoles = (client: string) =>
  useQuery({
    queryKey: getKey('listRolesOfClient', client),
    queryFn: ({ signal }) =>
      allPages((paging) => internalApi.listRolesOfClient({ params: { client }, query: paging }, { signal })),
    enabled: client !== '',
    staleTime: 60_000,
  })
