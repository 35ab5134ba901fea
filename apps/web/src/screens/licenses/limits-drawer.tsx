import { DEVICE_SERVICES, type Licenses, LicenseLimits } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { SimpleGrid, Text, TextInput } from '@mantine/core'
import { allPages } from '../../api/all-pages.ts'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Time } from '../../ui/time.tsx'

type Values = Record<(typeof DEVICE_SERVICES)[number], string>

/** Limits of a client per service: whole numbers from 0 to 100,000 (spec section 9). */
export default function LimitsDrawer(props: {
  licenses: Licenses
  onClose: () => void
  /** Refetches the licences after a conflict. */
  onReload: () => void
}) {
  const { licenses, onClose, onReload } = props
  const { t, i18n } = useLingui()
  const { client, client_name, used, updated_at, updated_by } = licenses
  const labels = Object.fromEntries(
    DEVICE_SERVICES.flatMap((service) => {
      const word = i18n._(SERVICE_WORDS[service])
      return [
        [service, word],
        [`limits.${service}`, word],
      ]
    }),
  )
  const form = useForm<Values, Licenses>({
    labels,
    initial: getDraft(licenses),
    stored: getStored(licenses, () => readNewest(client), getDraft),
    check: (values) => shapeFaults(LicenseLimits, getLimits(values)),
    save: (values, version) =>
      internalApi.saveLicenses(
        { params: { client }, body: { limits: getLimits(values) } },
        { if_match: version },
      ),
    onSaved: () => {
      noticeDone(t`Licences of ${client_name} saved`)
      onClose()
    },
  })
  return (
    <FormDrawer title={t`Licences of ${client_name}`} form={form} onClose={onClose} onReload={onReload}>
      <Text size="sm" c="dimmed">
        <Trans>Devices per service, from 0 to 100,000. Services in use stay active.</Trans>
      </Text>
      <SimpleGrid cols={2} spacing="md">
        {DEVICE_SERVICES.map((service) => {
          const inUse = i18n.number(used[service])
          return (
            <TextInput
              key={service}
              label={i18n._(SERVICE_WORDS[service])}
              description={t`${inUse} in use`}
              inputMode="numeric"
              autoComplete="off"
              maxLength={6}
              required
              withAsterisk={false}
              {...form.field(service)}
              error={form.errorAt(service) ?? form.errorAt(`limits.${service}`)}
            />
          )
        })}
      </SimpleGrid>
      {updated_at !== null && (
        <Text size="sm" c="dimmed">
          <Trans>
            Last changed <Time at={updated_at} /> by {updated_by}
          </Trans>
        </Text>
      )}
    </FormDrawer>
  )
}

const getDraft = ({ limits }: Licenses) =>
  Object.fromEntries(DEVICE_SERVICES.map((service) => [service, String(limits[service])])) as Values

/** The client's licences once more: the provider has one call for all clients. */
async function readNewest(client: string): Promise<Licenses> {
  const all = await allPages((paging) => internalApi.listLicenses({ query: { ...paging, search: client } }))
  const found = all.find((each) => each.client === client)
  if (found === undefined) throw new Error(`no licences of ${client}`)
  return found
}

/** Only digits become a number; the schema rejects the rest. */
const getLimits = (values: Values): LicenseLimits =>
  Object.fromEntries(
    DEVICE_SERVICES.map((service) => [
      service,
      /^\d+$/.test(values[service].trim()) ? Number(values[service]) : Number.NaN,
    ]),
  ) as LicenseLimits
