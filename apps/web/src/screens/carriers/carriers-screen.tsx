import type { Carrier, Country } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Box, Group, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useClientName } from '../../components/clients/clients.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchableList } from '../../ui/searchable-list.tsx'
import { Time } from '../../ui/time.tsx'
import { findCarriers, inLanguage } from './find-carriers.ts'

const countriesQuery = {
  queryKey: getKey('listCountries'),
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await internalApi.listCountries({ query: {} }, { signal })).data,
}

/** `/internal/carriers`: mobile networks of recording devices, by country. */
export function CarriersScreen() {
  const { t, i18n } = useLingui()
  const [search, setSearch] = useState('')
  const query = useQuery(countriesQuery)
  return (
    <>
      <PageHeader
        title={t`Carriers`}
        description={<Trans>Countries and mobile networks of recordings.</Trans>}
      />
      <Paper>
        <SearchableList
          query={query}
          label={t`Search carriers`}
          placeholder={t`Country, carrier or client`}
          search={search}
          onSearch={setSearch}
          find={(countries, text) => findCarriers(inLanguage(countries, i18n.locale), text)}
          empty={{
            icon: 'globe',
            title: t`No carriers yet`,
            description: <Trans>Carriers appear here once a recording names its network.</Trans>,
          }}
          noMatch={t`No carriers match`}
        >
          {(found) => found.map((country) => <CountryCarriers key={country.country} country={country} />)}
        </SearchableList>
      </Paper>
    </>
  )
}

function CountryCarriers({ country }: { country: Country }) {
  const clientName = useClientName()
  const { t } = useLingui()
  const { country_name, country_code, carriers } = country
  const columns: DataColumn<Carrier>[] = [
    {
      label: t`Carrier`,
      width: '34%',
      cell: ({ carrier_name, carrier_code }) => (
        <>
          <strong>{carrier_name}</strong>{' '}
          <Text span size="sm" c="dimmed" ff="monospace">
            {carrier_code}
          </Text>
        </>
      ),
    },
    { label: t`First seen`, width: '18%', cell: ({ first_seen }) => <Time at={first_seen} style="day" /> },
    { label: t`Last seen`, width: '18%', cell: ({ last_seen }) => <Time at={last_seen} style="day" /> },
    { label: t`Clients`, cell: ({ clients }) => clients.map(clientName).join(', ') },
  ]
  return (
    <Box component="section" aria-label={country_name} pt="sm">
      <Group gap="xs" px="sm" align="baseline">
        <Title order={2} size="h3">
          {country_name}
        </Title>
        <Text span size="sm" c="dimmed" className="tabular">
          {country_code !== null && `+${country_code} · `}
          <Plural value={carriers.length} one="# carrier" other="# carriers" />
        </Text>
      </Group>
      <DataTable
        caption={t`Carriers of ${country_name}`}
        columns={columns}
        rows={carriers}
        getKey={({ carrier_code }) => carrier_code}
      />
    </Box>
  )
}
