import {
  DEVICE_SERVICES,
  type DeviceService,
  type DeviceUser,
  DeviceUserInput,
  DeviceUserReference,
  EXPECTED_DEVICES_LIMIT,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Group, NumberInput, Select, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { devicesApi } from '../../api/devices-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { groupChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { DeleteButton } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { recordDrawer, type RecordFormProps } from '../../ui/form/record-drawer.tsx'
import { type Form, useForm } from '../../ui/form/use-form.ts'
import { fullName, getInput, userQuery } from './user.tsx'

const SIZE = 560

/** Creates or edits a device user. */
export default recordDrawer(userQuery, UserForm, SIZE)

type Draft = ReturnType<typeof getDraft>

const getDraft = (user: DeviceUser | undefined) => ({
  device_user_reference: user?.device_user_reference ?? '',
  first_name: user?.first_name ?? '',
  surname: user?.surname ?? '',
  email: user?.email ?? '',
  group: user?.group ?? '',
  services: user?.services ?? ([...DEVICE_SERVICES] as DeviceService[]),
  expected_device_count: user?.expected_device_count ?? 1,
  is_active: user?.is_active ?? true,
})

const textOrNull = (text: string): string | null => text.trim() || null

const getTyped = (draft: Draft): DeviceUserInput => ({
  ...getInput(draft),
  first_name: textOrNull(draft.first_name),
  surname: textOrNull(draft.surname),
  email: textOrNull(draft.email),
})

const getCall = (draft: Draft) => ({
  params: { device_user_reference: draft.device_user_reference.trim() },
  query: {},
  body: getTyped(draft),
})

interface PartProps {
  form: Form<Draft>
  isReadOnly: boolean
}

function useUserLabels() {
  const { t } = useLingui()
  return {
    device_user_reference: t`Reference`,
    first_name: t`First name`,
    surname: t`Surname`,
    email: t`Email`,
    group: t`Group`,
    services: t`Services`,
    expected_device_count: t`Expected devices`,
    is_active: t({ context: 'person', message: 'Onboarded' }),
  }
}

function useUserForm({ record: user, onClose, readNewest }: RecordFormProps<DeviceUser>) {
  const { t } = useLingui()
  const labels = useUserLabels()
  return useForm<Draft, DeviceUser>({
    labels,
    initial: getDraft(user),
    stored: getStored(user, readNewest, getDraft),
    check: (draft) => [
      ...shapeFaults(DeviceUserReference, draft.device_user_reference.trim(), 'device_user_reference'),
      ...shapeFaults(DeviceUserInput, getTyped(draft)),
    ],
    getField: { already_exists: 'device_user_reference', license_exceeded: 'services', escalation: 'group' },
    save: (draft, version) =>
      user === undefined
        ? devicesApi.createDeviceUser(getCall(draft))
        : devicesApi.updateDeviceUser(getCall(draft), { if_match: version }),
    onSaved: (saved) => {
      const name = fullName(saved)
      noticeDone(t`${name} saved`)
      onClose()
    },
  })
}

function UserForm(props: RecordFormProps<DeviceUser>) {
  const { t } = useLingui()
  const may = useMay()
  const labels = useUserLabels()
  const navigate = useNavigate()
  const { record: user, onClose, onReload } = props
  const isReadOnly = !may(user === undefined ? 'users:create' : 'users:update')
  const form = useUserForm(props)
  const part = { form, isReadOnly }
  return (
    <FormDrawer
      title={user === undefined ? t`Add device user` : fullName(user)}
      form={form}
      onClose={onClose}
      onReload={onReload}
      isReadOnly={isReadOnly}
      actions={
        user && (
          <DeleteUser
            user={user}
            onDeleted={form.leaving(() => void navigate({ to: '/dashboard/devices/users' }))}
          />
        )
      }
      size={SIZE}
    >
      <TextInput
        label={labels.device_user_reference}
        description={t`Your company’s reference; it cannot be changed later`}
        {...form.field('device_user_reference')}
        {...readOnlyLook(user !== undefined || isReadOnly)}
        required={user === undefined}
        data-autofocus={user === undefined || undefined}
      />
      <PersonFields {...part} />
      <UserGroup {...part} isNew={user === undefined} />
      <RecordedServices {...part} />
      <NumberInput
        label={labels.expected_device_count}
        description={t`Any other number of phones raises an alert`}
        value={form.values.expected_device_count}
        onChange={(count) => form.set({ expected_device_count: Number(count) })}
        error={form.errorAt('expected_device_count')}
        min={0}
        max={EXPECTED_DEVICES_LIMIT}
        allowDecimal={false}
        {...readOnlyLook(isReadOnly)}
      />
      {user !== undefined && (
        <Switch
          label={labels.is_active}
          description={t`If off, the person is offboarded: their phones stop recording but still upload`}
          {...form.flag('is_active')}
          disabled={isReadOnly}
        />
      )}
    </FormDrawer>
  )
}

/** Name and email address. */
function PersonFields({ form, isReadOnly }: PartProps) {
  const { t } = useLingui()
  const labels = useUserLabels()
  const text = (name: 'first_name' | 'surname' | 'email') => ({
    label: labels[name],
    ...form.field(name),
    ...readOnlyLook(isReadOnly),
    autoComplete: 'off',
  })
  return (
    <>
      <Group grow align="flex-start">
        <TextInput {...text('first_name')} />
        <TextInput {...text('surname')} />
      </Group>
      <TextInput
        {...text('email')}
        description={t`Phones report their holder by it`}
        inputMode="email"
        spellCheck={false}
      />
    </>
  )
}

function UserGroup({ form, isReadOnly, isNew }: PartProps & { isNew: boolean }) {
  const { t } = useLingui()
  const labels = useUserLabels()
  const { values } = form
  const { data: groups = [] } = useQuery({ ...groupChoicesQuery, enabled: useMay()('groups:list') })
  const offered = new Set(
    [...groups.map(({ group_reference }) => group_reference), values.group].filter(Boolean),
  )
  return (
    <Select
      label={labels.group}
      description={isNew ? undefined : t`Applies to new recordings; existing ones keep their group`}
      data={[...offered]}
      value={values.group || null}
      onChange={(group) => form.set({ group: group ?? '' })}
      error={form.errorAt('group')}
      {...readOnlyLook(isReadOnly)}
      required
      searchable
      nothingFoundMessage={t`Nothing found`}
    />
  )
}

function RecordedServices({ form, isReadOnly }: PartProps) {
  const { t, i18n } = useLingui()
  const labels = useUserLabels()
  return (
    <Checkbox.Group
      label={labels.services}
      description={t`Recorded services, within licence limits`}
      value={form.values.services}
      onChange={(services) => form.set({ services: services as DeviceService[] })}
      error={form.errorAt('services')}
    >
      <Group mt="xs">
        {DEVICE_SERVICES.map((service) => (
          <Checkbox
            key={service}
            value={service}
            label={i18n._(SERVICE_WORDS[service])}
            disabled={isReadOnly}
          />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

function DeleteUser({ user, onDeleted }: { user: DeviceUser; onDeleted: () => void }) {
  const { t } = useLingui()
  const { device_user_reference, version } = user
  const name = fullName(user)
  return (
    <DeleteButton
      action="users:delete"
      question={t`Delete ${name}?`}
      done={t`${name} deleted`}
      onDelete={() =>
        devicesApi.deleteDeviceUser({ params: { device_user_reference }, query: {} }, { if_match: version })
      }
      onDeleted={onDeleted}
    >
      <Text>
        <Trans>
          The person is offboarded and hidden. Recordings stay under their name; the reference is not reused.
        </Trans>
      </Text>
    </DeleteButton>
  )
}
